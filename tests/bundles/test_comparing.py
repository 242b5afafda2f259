"""What a comparison says of two wordings."""
# ruff: noqa: RUF001 - rules in other scripts are written in their own letters

from __future__ import annotations

import pytest

from domain.bundles.comparing import Comparison, compare
from domain.bundles.wording import Wording

SCOPE = "the whole repository"


def compared(said: str, known: str, scopes: tuple[str, str] = (SCOPE, SCOPE)) -> Comparison:
    """The comparison, which is the same in the other order."""
    one, other = Wording(said, scopes[0]), Wording(known, scopes[1])
    assert compare(one, other) == compare(other, one)
    return compare(one, other)


def test_the_same_words_are_a_restatement() -> None:
    assert compared("Charts lie flat", "charts  LIE flat.") == (1.0, "restatement", ())


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (
            "Fixtures are always built by the factory helpers",
            "Fixtures are built by factory helpers",
        ),
        (
            "Slow queries are logged with their plan and the caller",
            "Slow queries are logged with their plan",
        ),
        ("Handlers must validate the payload first", "Handlers validate the payload first"),
        ("Handlers validated payloads first", "Handlers validate the payload first"),
        ("Keep backups for thirty days", "Keep backups for 30 days"),
        ("Payloads are checked as v2.1 first", "Payloads are checked as 2.1"),
        ("Wait 30s before the second attempt", "Wait 30 seconds before the second attempt"),
        ("部署前必须在本地运行全部单元测试", "部署前必须运行全部单元测试"),
        ("يجب دائما اختبار الترحيلات على نسخة", "يجب اختبار الترحيلات على نسخة"),
        ("מיגרציות נבדקות תמיד על עותק", "מיגרציות נבדקות על עותק"),
        ("फ़ाइलें हमेशा एक प्रति पर जाँची जाती हैं", "फ़ाइलें एक प्रति पर जाँची जाती हैं"),
        ("கோப்புகள் எப்போதும் நகலில் சோதிக்கப்படும்", "கோப்புகள் நகலில் சோதிக்கப்படும்"),
        ("Các bản di trú luôn được kiểm thử", "Các bản di trú được kiểm thử"),
        ("فایل‌های تولیدشده را همیشه ویرایش کن", "فایل‌های تولیدشده را ویرایش کن"),
    ],
)
def test_words_more_make_a_clear_match(said: str, known: str) -> None:
    assert compared(said, known).verdict == "clear"


@pytest.mark.parametrize(
    ("said", "known", "differing"),
    [
        ("The API listens on port 8081", "The API listens on port 8080", ("8080", "8081")),
        ("Wait for 15 minutes in the queue", "Wait for 15 seconds in the queue", ("min", "s")),
        ("Wait for 1.5 minutes in a row", "Wait for 15 minutes in a row", ("1.5", "15")),
        ("Try the upload three times", "Try the upload two times", ("2", "3")),
        ("Run make lint-web first", "Run make lint-api first", ("lint-api", "lint-web")),
        ("Set MAX_POOL before a start", "Set MIN_POOL before a start", ("max_pool", "min_pool")),
        ("Ask Mira about the schema", "Ask Jonas about the schema", ("jonas", "mira")),
        ("Sessions are kept in Redis", "Sessions are kept in memory", ("redis",)),
        ("Redis is used for the limiter", "Memcached is used for the limiter", None),
        ("Mira owns the deploy script", "Jonas owns the deploy script", ("jonas", "mira")),
        ("Deploys happen on Mondays", "Deploys happen on Fridays", ("fridays", "mondays")),
        ("On Mondays the gate is shut", "The gate is shut on a Friday", ("friday", "mondays")),
        ("Logs go to ~/logs/a.txt daily", "Logs go to ~/logs/b.txt daily", None),
        ("Needs Python >= 3.11 to run", "Needs Python <= 3.11 to run", ("<=", ">=")),
        ("Split the rows at ';' only", "Split the rows at ',' only", (",", ";")),
        ("The area of a tile is x² here", "The area of a tile is x2 here", ("x2", "x²")),
        ("टोकन १५ मिनट तक मान्य है", "टोकन ४५ मिनट तक मान्य है", None),
        ("مهاجرت‌ها را با redis اجرا کن", "مهاجرت‌ها را با mysql اجرا کن", ("mysql", "redis")),
        ("Mail goes to ops@acme.test", "Mail goes to dev@acme.test", None),
        ("Pass --force to the script", "Pass --dry-run to the script", None),
        ("会话保存在Redis集群中", "会话保存在Memcached集群中", None),
        ("上传失败后最多重试三次然后报警", "上传失败后最多重试五次然后报警", ("三", "五")),
    ],
)
def test_facts_that_differ_in_a_name_number_or_unit_are_apart(
    said: str, known: str, differing: tuple[str, ...] | None
) -> None:
    found = compared(said, known)

    assert found.verdict == "apart"
    assert differing is None or found.differing == differing


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Generated files are never edited", "Generated files are edited"),
        ("Don't mock the clock in tests", "Mock the clock in tests"),
        ("Enable caching", "Disable caching"),
        ("Lint runs before the tests", "Lint runs after the tests"),
        ("Operators can restart the worker", "Operators restart the worker"),
        ("Tests run before lint", "Lint runs before tests"),
        ("Use Redis, not Memcached", "Use Memcached, not Redis"),
        ("Migrations re-run in read-only mode", "Migrations rerun in read only mode"),
        ("Deployments happen on request", "Deploys happen on request"),
        ("Public methods come before the others", "Private methods come before the others"),
        ("Charts are stored rolled", "Charts are stored flat"),
        ("Notes are drafted in CHANGELOG.md by hand", "Notes are drafted by hand"),
        ("部署之前不必须运行全部单元测试", "部署之前必须运行全部单元测试"),
        ("فایل‌های تولیدشده را هرگز ویرایش کن", "فایل‌های تولیدشده را ویرایش کن"),
        ("The gateway of the harbour lacks TLS", "The gateway of the harbour is TLS"),
        ("Keep slow tests of the parser small", "Keep the tests of the parser small"),
        ("Ask us before the schema changes", "Ask kelpie before the schema changes"),
        ("Use https for probes of the gateway", "Use http for probes of the gateway"),
        ("Les fichiers générés ne sont plus versionnés", "Les fichiers générés sont versionnés"),
        ("Le cache n'est pas vidé à l'arrêt", "Le cache est vidé à l'arrêt"),
        ("Der Dienst darf Mails senden", "Der Dienst muss Mails senden"),
        ("部署之前很少运行全部单元测试", "部署之前运行全部单元测试"),
        ("배포 전에 테스트를 안 실행한다", "배포 전에 테스트를 실행한다"),
        ("コミット前にテストを実行してもよい", "コミット前にテストを実行する"),
        ("Không sửa các tệp được tạo", "Sửa các tệp được tạo"),
        ("ห้ามแก้ไขไฟล์ที่สร้างขึ้น", "แก้ไขไฟล์ที่สร้างขึ้น"),
    ],
)
def test_what_may_be_a_correction_is_asked_about(said: str, known: str) -> None:
    assert compared(said, known).verdict == "grey"


def test_what_shares_only_a_subject_is_apart() -> None:
    assert compared("Charts are lent on request", "Charts are stored flat").verdict == "apart"
    assert compared("Tug crews eat at noon", "Visitors sign the green book").score == 0.0


@pytest.mark.parametrize(
    ("scopes", "verdict"),
    [
        (("engine room", "Engine Room"), "restatement"),
        (("engine room pumps", "engine room"), "clear"),
        (("engine", "everything in this repo"), "clear"),
        (("engine room lift", "everything in this repo"), "grey"),
        (("the Kelpie service", "the whole repository"), "grey"),
        (("unit tests", "integration tests"), "grey"),
        (("the Kelpie service", "the Selkie service"), "apart"),
        (("Billing service", "Mail service"), "apart"),
        (("canteen", "engine room"), "apart"),
        (("整个项目", "the whole repository"), "clear"),
    ],
)
def test_scopes_agree_where_one_holds_the_other(scopes: tuple[str, str], verdict: str) -> None:
    rule = "Log lines are written as JSON"

    assert compared(rule, rule, scopes).verdict == verdict


@pytest.mark.parametrize(
    ("said", "known", "score"),
    [
        ("Run the tests of the importer", "Run the tests", 0.80),
        ("Handlers log every slow call with plan and caller", "Handlers log slow calls", 0.80),
        ("Handlers log slow calls with their plan", "Handlers log slow calls", 0.89),
        ("Charts are stored rolled", "Charts are stored flat", 0.67),
        ("Feature flags default to off", "Feature flags are removed after rollout", 0.57),
        ("Enable the cache", "Disable the cache", 1.00),
        ("会话保存在内存", "会话保存在磁盘", 0.69),
    ],
)
def test_a_score_is_twice_what_both_have_over_what_each_has(
    said: str, known: str, score: float
) -> None:
    assert round(compared(said, known).score, 2) == score


def test_a_capital_tells_a_name_only_inside_a_sentence() -> None:
    assert compared("Pin the charts of the harbour", "Hang the charts of the harbour")[1] == "grey"
    assert compared("We ask Mira for a chart", "We ask Jonas for a chart")[1] == "apart"
    shouted = "WE ASK MIRA FOR A CHART IN THE OFFICE"
    assert compared(shouted, "WE ASK JONAS FOR A CHART IN THE OFFICE")[1] == "grey"


def test_report_67_marks_belong_to_their_letters() -> None:
    assert (
        compared("El año fiscal empieza pronto", "El ano fiscal empieza pronto").verdict == "grey"
    )
    assert compared("கோப்புகள் நகலில் சோதிக்கப்படும்", "கோப்பு நகல் சோதி").score == 0.0
