"""Words that mean something of their own when two wordings are compared, caseless.

The lists hold what coding agents and their users write, English first. A word of another language
stands here only where it is no content word in English: `die`, `war` and `pour` are left out. A
word that is missing counts as content. That makes a comparison more careful, except for negations
and permissions: one of a language that is not here is a word more.
"""
# ruff: noqa: RUF001 - words of other scripts are spelled in their own letters

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS: Final = _words(
    # English
    "a an the this that these those it its they them their there here we i who whom whose which "
    "what where how why as at by for of into onto upon via per about during between among across "
    "along around towards toward through throughout is are was were be been being am do does did "
    "done get gets got have has had having will would shall should must ought so such than then "
    "thus therefore hence also too very just quite rather really simply actually basically always "
    "only even still yet already again soon both each every any all once because although though "
    "whether however please etc whenever wherever whatever generally usually normally typically "
    "now currently when while either "
    # German
    "das der dem des ein eine einen einem einer eines und ist sind wird werden wurde wurden sein "
    "haben muss müssen soll sollen auch nur immer stets dass daß wenn wann als wie für vom zum "
    "zur zu im ins bei beim auf durch sich es wir ihr sie diese dieser dieses jede jeder jedes "
    "jedem jeden bitte "
    # French
    "le la les une du de et est sont être doit doivent que qui avec dans sur au aux ce cette ces "
    "sa ses leur leurs il elle ils elles nous vous toujours aussi seulement se lorsque quand "
    # Spanish, Portuguese, Italian
    "el los las un una unos unas del y está están debe deben por para en su sus este esta estos "
    "estas siempre también solo sólo cada cuando os um uma uns umas da dos é são deve devem nas "
    "nos ao seu sua sempre também só quando lo gli uno della dello dei delle degli è sono devono "
    "che di per con nel nella sul sulla anche ogni "
    # Dutch, Polish, Swedish
    "het een zijn wordt worden moet moeten ook alleen altijd elke van naar jest są być musi "
    "muszą zawsze tylko każdy każda się oraz och är att som det ska måste alltid också bara "
    "varje för "
    # Russian, Ukrainian
    "в на с к по о об у за для как это этот эта эти всегда только также когда должен должна "
    "должно должны быть есть каждый каждая каждое та що завжди лише кожен"
)
"""Words that may come or go without making another statement."""

DIRECTIONS: Final = _words(
    "before after in out inside outside within beyond on off with to from over under up down "
    "above below against and or if since until till more less most least vor nach aus unter oder "
    "avant après sous ou si antes después до после из от над под и или если prima dopo przed lub "
    "efter"
)
"""Function words whose opposite is one too: they keep their place among the words of content."""

NEGATIONS: Final = _words(
    "no not never none nobody nothing neither nor cannot without except excluding unless instead "
    "avoid avoids avoided avoiding forbid forbids forbidden prohibited disallow disallowed "
    "banned hardly barely seldom rarely scarcely stop stops refuse refuses nicht nie niemals "
    "kein keine keinen keinem keiner keines ohne außer nirgends verboten pas jamais aucun aucune "
    "sans sauf rien interdit nunca jamás sin ningún ninguna ninguno salvo excepto prohibido não "
    "sem nenhum nenhuma proibido non mai senza nessun nessuna tranne vietato niet nooit geen "
    "zonder behalve nigdy bez żaden zabronione inte aldrig utan ingen ikke uten ei älä ilman не "
    "нет ни никогда без нельзя запрещено запрещён кроме ніколи немає заборонено لا لم لن ليس "
    "بدون ممنوع دون אל לא אין אסור בלי ללא नहीं मत बिना değil yok asla hiçbir δεν μην ποτέ χωρίς "
    "nem soha nélkül هرگز نباید أبدا không đừng chưa chớ tidak jangan bukan tanpa না இல்லை "
    "வேண்டாம் கூடாது కాదు nikdy nikdo žádný fără niciodată никад ne"
)
"""One of them more or less turns a statement round."""

PERMISSIONS: Final = _words(
    "may might can could optional optionally sometimes occasionally possibly perhaps maybe some "
    "few partly mostly nearly almost probably allowed permitted kann können dürfen manchmal peut "
    "peuvent parfois puede pueden pode podem può possono kan kunnen może mogą может могут можно "
    "иногда може можуть darf dürfte"
)
"""One of them more or less makes a duty a possibility."""

NEGATED_SIGNS: Final = frozenset("不没沒未无無非勿别禁否莫毋")
"""Signs of Chinese and Japanese that turn a statement round."""

NEGATED_PIECES: Final = (
    *("ない", "なく", "ません", "ずに", "않", "못", "없", "금지", "말고", "마세요", "마십시오"),
    *("ไม่", "ห้าม", "อย่า", "ບໍ່", "ຫ້າມ", "មិន", "កុំ", "គ្មាន"),
)
"""Pieces of Japanese, Korean, Thai, Lao and Khmer words that turn a statement round."""

NEGATED_RUN: Final = "안"
"""The same in Korean, where it stands between blanks."""

PERMITTED_PIECES: Final = (
    *(
        "可以",
        "可能",
        "也许",
        "也許",
        "或许",
        "或許",
        "有时",
        "有時",
        "偶尔",
        "很少",
        "几乎",
        "允许",
    ),
    *("かもしれ", "てもよい", "てもいい", "ことができ", "時々", "たまに", "まれに"),
    *("가끔", "드물게", "아마", "도된다", "อาจ", "สามารถ", "บางครั้ง", "ອາດ", "អាច"),
)
"""Pieces of words without blanks between them that make a duty a possibility."""

PERMITTED_RUN: Final = "수"
"""The same in Korean, where it stands between blanks."""

IMPERATIVES: Final = _words(
    "add allow annotate answer archive ask assert assume attach audit automate back backport "
    "batch begin bind block branch build bump cache call capture catch check choose clean clear "
    "clone close collect combine commit compare compile compress compute configure confirm "
    "connect consider convert copy cover create cut debug declare default defer define delete "
    "deny deploy deprecate derive describe design disable discuss document download draft drop "
    "emit enable encode encrypt end enforce ensure escape evaluate exclude execute expect "
    "explain export expose extend extract fail favor favour fetch fill filter find finish fix "
    "flag flush fold follow force format forward freeze generate give go group guard handle hang "
    "hash hide hold ignore implement import include increase index inform initialise initialize "
    "inject inline insert inspect install invoke isolate join keep label leave limit link lint "
    "list load lock log look lower maintain make map mark match measure merge migrate mirror "
    "mock monitor move mute name normalise normalize note notify omit open order organise "
    "organize override own page parse pass patch pick pin place plan point prefer prefix prepare "
    "preserve print process profile prompt protect prove provide prune publish pull purge push "
    "put quarantine query queue raise read rebase record redact reduce refactor refer refresh "
    "regenerate reject release reload remember remove rename render reorder replace report "
    "request require reserve reset resolve respect restart restore restrict retain retry return "
    "reuse revert review rewrite roll rotate route run save scan schedule scope seal search see "
    "select send separate serve set share ship show sign simplify skip sort specify split squash "
    "stage start stash store stream strip submit support suspend sync tag take tell test "
    "throttle throw time trace track trim trust turn type unify update upgrade upload use "
    "validate vendor verify version wait warm warn watch wrap write"
)
"""Words that a rule begins with where it gives an order, not where it names its subject."""

GENERAL_SCOPE: Final = _words(
    "whole entire complete full everything everywhere anywhere repository repositories repo "
    "repos project projects codebase workspace general global globally overall anything default "
    "ganze ganzen ganzes gesamte gesamten gesamtes projekt überall allgemein tout toute projet "
    "dépôt général todo toda proyecto repositorio tudo projeto repositório tutto progetto hele "
    "весь вся всё проект проекта репозиторий репозитория везде"
)
"""Words that name no part: a scope of them and of function words holds everywhere."""

GENERAL_PIECES: Final = (
    *("整个", "整個", "全部", "所有", "全体", "项目", "專案", "仓库", "倉庫", "代码库", "代码"),
    *("プロジェクト", "リポジトリ", "コードベース", "すべて", "の"),
    *("전체", "저장소", "프로젝트"),
)
"""The same of languages without blanks between words, the longer ones first."""

GERMAN: Final = _words(
    "der die das und ist sind wird werden nicht ein eine einen mit für auf von zu im den dem vor "
    "nach bei aus jede jeder jedes nur immer wenn vom zum zur"
)
"""Two of these in a text: German, which writes all nouns with capitals."""

CAPITAL_NAMES: Final = frozenset({"it", "who", "as", "be", "am"})
"""Function words that are another word in capitals; MUST, NOT and OR are emphasis."""

INITIAL_NAMES: Final = frozenset({"a", "an", "do", "may", "will"})
"""Function words that are a name with a capital inside a sentence."""
