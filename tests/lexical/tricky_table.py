"""Questions that a careless analyzer gets wrong, each with memories that share a part.

A row: the memory, the question, distractors.
"""

from __future__ import annotations

TRICKY = [
    (
        "We upgraded the primary to PostgreSQL-17 in March",
        "PostgreSQL-17",
        ["We stayed on PostgreSQL-16 in March", "17 people joined"],
    ),
    ("The database is PostgreSQL-15", "postgresql", ["The database is MySQL-8"]),
    (
        "Bug fixed in src/app.py line 40",
        "src/app.py",
        ["Bug fixed in src/main.py line 40", "app store py review src"],
    ),
    ("Bug fixed in backend/src/models.py", "models.py", ["Bug fixed in backend/src/views.py"]),
    (
        "Patched CVE-2026-1234 yesterday",
        "CVE-2026-1234",
        ["Patched CVE-2026-9999 yesterday", "2026 had 1234 cve entries"],
    ),
    ("Patched CVE-2025-4411 on web hosts", "cve 2025 4411", ["Patched CVE-2025-7777 on web hosts"]),
    (
        "Use get_user_config for settings",
        "get_user_config",
        ["Use get_item_config for settings", "get the user a config"],
    ),
    ("Use load_user_profile for settings", "user profile", ["Use load_item_table for settings"]),
    (
        "Class HttpRequestParser raises on empty body",
        "HttpRequestParser",
        ["Class HttpResponseWriter raises on empty body"],
    ),
    (
        "Class XmlRequestParser raises on empty body",
        "request parser xml",
        ["Class JsonResponseWriter raises on empty body"],
    ),
    (
        "See https://docs.example.com/atlas/42 for the runbook",
        "https://docs.example.com/atlas/42",
        ["See https://docs.example.com/atlas/43 for the runbook", "https docs example com atlas"],
    ),
    (
        "Runbook lives at https://wiki.acme.io/helios",
        "wiki.acme.io",
        ["Runbook lives at https://git.acme.io/helios"],
    ),
    (
        "Contact anna.kowalski@example.com about billing",
        "anna.kowalski@example.com",
        ["Contact boris@example.com about billing"],
    ),
    ("Contact mehmet@corp.io about payroll", "mehmet", ["Contact nadia@corp.io about payroll"]),
    (
        "Deployed version v1.2.3 to staging",
        "v1.2.3",
        ["Deployed version v1.2.4 to staging", "Deployed version v2.1.3"],
    ),
    ("Release 4.10.2 broke login", "4.10.2", ["Release 4.2.10 broke login"]),
    ("He writes C++ at work", "C++", ["He writes C# at work", "He writes C at work"]),
    ("She writes C# at work", "C#", ["She writes C++ at work", "grade C at work"]),
    ("Legacy service runs on .NET framework", "dotnet .NET", ["The net income of the framework"]),
    ("R&D budget doubled", "R&D", ["Budget for D and R"]),
    ("Grammar of O'Brien's proposal", "O'Brien", ["Brian's proposal", "The letter O"]),
    ("I don't like cilantro", "don't like cilantro", ["I like basil and don"]),
    ("The naïve café résumé was accepted", "naive cafe resume", ["The naval chief was accepted"]),
    ("Ångström Müller lives in Zürich", "muller zurich", ["Miller lives in Munich"]),
    ("Große Straße in Köln", "grosse strasse koln", ["Kleine Gasse in Bonn"]),
    ("Søren paid Łukasz in Kraków", "soren lukasz krakow", ["Sara paid Lucas in Cracow"]),
    ("Cafe\u0301 decomposed accents here", "café", ["Coffee composed accents"]),
    ("东京办事处的预算在三月被批准", "预算", ["东京办事处的会议在三月被取消"]),
    ("用户更喜欢深色模式和中文界面", "深色模式", ["用户更喜欢浅色主题和英文界面"]),
    (
        "私たちは来週の月曜日に本番環境へデプロイします",
        "本番環境",
        ["私たちは来週の火曜日に会議をします"],
    ),
    ("データベースの移行は完了しました", "データベース", ["テスト環境の構築は完了しました"]),
    ("서울 사무실은 다음 달에 이사합니다", "사무실", ["서울 회의는 다음 주에 합니다"]),
    ("カタカナ ﾊﾝｶｸ test", "ハンカク", ["ゼンカク test カタカナ"]),
    ("العميل يفضّل الدفع الشهري", "يفضل الدفع", ["العميل يكره الانتظار الطويل"]),
    ("הלקוח ביקש החזר כספי", "החזר", ["הלקוח ביקש פגישה"]),
    (
        "Пользователь предпочитает тёмную тему",
        "темную тему",
        ["Пользователь предпочитает новую версию"],
    ),
    ("Ελλάδα πελάτης ζητά έκπτωση", "εκπτωση", ["Ελλάδα πελάτης ζητά τιμολόγιο"]),
    ("ลูกค้าชอบการชำระเงินรายเดือน", "ชำระเงิน", ["ลูกค้าชอบสินค้าราคาถูก"]),
    ("🚀 launch party on Friday 🎉", "🚀", ["launch party on Friday 🎂"]),
    (
        "Running meetings were scheduled by engineers",
        "meeting schedule engineer",
        ["Running shoes were bought by athletes"],
    ),
    ("Ticket JIRA-4711 blocked the deploy", "jira-4711", ["Ticket JIRA-4712 blocked the deploy"]),
    ("commit 3f9a1c2e introduced the leak", "3f9a1c2e", ["commit 3f9a1c2d introduced the leak"]),
    (
        "ip address 10.12.0.45 is the bastion",
        "10.12.0.45",
        ["ip address 10.12.0.54 is the bastion"],
    ),
    (
        "flag --no-cache disables caching",
        "--no-cache",
        ["flag --no-color disables caching", "no cache hit"],
    ),
    (
        "env var MAX_RETRIES=5 in prod",
        "MAX_RETRIES",
        ["env var MAX_TIMEOUT=5 in prod", "max retries of the retry"],
    ),
    ("AI技術の導入を決定", "AI技術", ["AI予算の導入を中止"]),
    (
        "Meeting on 2026-03-14 with Chen",
        "2026-03-14",
        ["Meeting on 2026-04-13 with Chen", "2026 03 14 15"],
    ),
    ("the who concert was loud", "the who", ["the concert was loud", "who was there in the rain"]),
]
