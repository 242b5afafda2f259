# ruff: noqa: RUF001  letters that look like Latin ones are what this table is about
"""Questions that a careless analyzer gets wrong, by script and by style of writing.

A row: the memory, the question, distractors that share a beginning or a part with one of them.
"""

from __future__ import annotations

TRICKY_BY_STYLE = {
    "product with a number": [
        (
            "We upgraded the primary to PostgreSQL-17 in March",
            "PostgreSQL-17",
            ["We stayed on PostgreSQL-16 in March", "17 people joined"],
        ),
        (
            "The database is PostgreSQL-15",
            "postgresql-15",
            ["The database is MySQL-15", "The database is PostgresML"],
        ),
        (
            "Bought a Canon SD500 for the trip",
            "SD500",
            ["Bought a Canon SD550 for the trip", "The SD card has 500 pictures"],
        ),
        (
            "The k8s cluster was resized",
            "k8s",
            ["The k3s cluster was resized", "8 clusters of k were resized"],
        ),
        ("An iPhone15 was stolen", "iphone15", ["An iPhone14 was stolen", "15 phones were stolen"]),
    ],
    "path": [
        (
            "Bug fixed in src/app.py line 40",
            "src/app.py",
            ["Bug fixed in src/main.py line 40", "app store py review src"],
        ),
        (
            "Bug fixed in backend/src/models.py",
            "models.py",
            ["Bug fixed in backend/src/views.py", "Bug fixed in backend/src/models.rs"],
        ),
        (
            "Settings live in /etc/nginx/nginx.conf",
            "/etc/nginx/nginx.conf",
            ["Settings live in /etc/nginx/mime.types", "nginx reads a conf from etc"],
        ),
        (
            r"The share is C:\Reports\Q3\sales.xlsx",
            r"C:\Reports\Q3\sales.xlsx",
            [r"The share is C:\Reports\Q4\sales.xlsx", "sales reports of q3 in xlsx"],
        ),
        (
            "Moved to ~/.config/helix/config.toml",
            "config.toml",
            ["Moved to ~/.config/helix/languages.toml", "The config of toml moved"],
        ),
    ],
    "identifier with a year": [
        (
            "Patched CVE-2026-1234 yesterday",
            "CVE-2026-1234",
            ["Patched CVE-2026-9999 yesterday", "2026 had 1234 cve entries"],
        ),
        (
            "Patched CVE-2025-4411 on web hosts",
            "cve 2025 4411",
            ["Patched CVE-2025-7777 on web hosts", "4411 web hosts in 2024"],
        ),
        (
            "Implements RFC-9457 problem details",
            "rfc-9457",
            ["Implements RFC-7807 problem details", "9457 problems had details"],
        ),
        (
            "Ticket JIRA-4711 blocked the deploy",
            "jira-4711",
            ["Ticket JIRA-4712 blocked the deploy", "4711 is a perfume, says Jira"],
        ),
        (
            "Issue GH-88 was reopened by Omar",
            "GH-88",
            ["Issue GH-880 was reopened by Omar", "88 issues of GH"],
        ),
    ],
    "snake case": [
        (
            "Use get_user_config for settings",
            "get_user_config",
            ["Use get_item_config for settings", "get the user a config"],
        ),
        (
            "Use load_user_profile for settings",
            "user profile",
            ["Use load_item_table for settings", "Use load_user_table for settings"],
        ),
        (
            "env var MAX_RETRIES=5 in prod",
            "MAX_RETRIES",
            ["env var MAX_TIMEOUT=5 in prod", "max retries of the retry"],
        ),
        (
            "Call __init_subclass__ once",
            "__init_subclass__",
            ["Call __init__ once", "init of a subclass, once"],
        ),
        (
            "The column created_at is indexed",
            "created_at",
            ["The column updated_at is indexed", "created an index at noon"],
        ),
    ],
    "camel case": [
        (
            "Class HttpRequestParser raises on empty body",
            "HttpRequestParser",
            [
                "Class HttpResponseWriter raises on empty body",
                "A parser of an http request raises",
            ],
        ),
        (
            "Class XmlRequestParser raises on empty body",
            "request parser xml",
            ["Class JsonResponseWriter raises on empty body", "Class XmlWriter raises"],
        ),
        (
            "useEffect runs twice in strict mode",
            "useEffect",
            ["useState runs twice in strict mode", "The effect of its use, twice"],
        ),
        (
            "parseHTMLString chokes on comments",
            "html string",
            ["parseXMLString chokes on comments", "parseHTMLNode chokes on comments"],
        ),
        (
            "The IOError came from readFile",
            "IOError",
            ["The OSError came from readFile", "An error of io in a file"],
        ),
    ],
    "address": [
        (
            "See https://docs.example.com/atlas/42 for the runbook",
            "https://docs.example.com/atlas/42",
            ["See https://docs.example.com/atlas/43 for the runbook", "https docs example com"],
        ),
        (
            "Runbook lives at https://wiki.acme.io/helios",
            "wiki.acme.io",
            ["Runbook lives at https://git.acme.io/helios", "A wiki about acme"],
        ),
        (
            "Contact anna.kowalski@example.com about billing",
            "anna.kowalski@example.com",
            ["Contact boris@example.com about billing", "Anna Kowalski asked about billing"],
        ),
        (
            "Contact mehmet@corp.io about payroll",
            "mehmet",
            ["Contact nadia@corp.io about payroll", "Contact mehtap@corp.io about payroll"],
        ),
        (
            "ip address 10.12.0.45 is the bastion",
            "10.12.0.45",
            ["ip address 10.12.0.54 is the bastion", "10 of 12 bastions, 45 left"],
        ),
        (
            "The printer answers at fe80::1ff:fe23:4567:890a",
            "fe80::1ff:fe23:4567:890a",
            ["The printer answers at fe80::1ff:fe23:4567:890b", "The printer answers at fe80"],
        ),
    ],
    "version": [
        (
            "Deployed version v1.2.3 to staging",
            "v1.2.3",
            ["Deployed version v1.2.4 to staging", "Deployed version v2.1.3"],
        ),
        ("Release 4.10.2 broke login", "4.10.2", ["Release 4.2.10 broke login", "Release 4.10.3"]),
        (
            "Pinned to 2.0.0-rc.1 for now",
            "2.0.0-rc.1",
            ["Pinned to 2.0.0-rc.2 for now", "Pinned to 2.0.0 for now"],
        ),
        (
            "Node 18.17.1 is the floor",
            "node 18.17.1",
            ["Node 18.17.0 is the floor", "Node 17.18.1 is the floor"],
        ),
        ("It costs 12.5% more", "12.5%", ["It costs 5.12% more", "12 of 5 percent"]),
    ],
    "language with signs": [
        ("He writes C++ at the office", "C++", ["He writes CC at the office", "Grade C office"]),
        ("She teaches C# at school", "C#", ["She teaches CS at school", "grade C at school"]),
        (
            "Legacy service runs on .NET framework",
            "dotnet .NET",
            ["The net income of the framework", "A network service runs"],
        ),
        ("R&D budget doubled", "R&D", ["Budget for research", "R or D doubled"]),
        ("The F# compiler crashed", "F#", ["The F compiler crashed", "The key of F crashed"]),
    ],
    "flag and hash": [
        (
            "flag --no-cache disables caching",
            "--no-cache",
            ["flag --no-color disables caching", "no cache hit"],
        ),
        (
            "commit 3f9a1c2e introduced the leak",
            "3f9a1c2e",
            ["commit 3f9a1c2d introduced the leak", "commit 3f9a introduced the leak"],
        ),
        (
            "Session 0192f7a4-55d0-7c3e-9b1a-2f0d6c7e8a90 timed out",
            "0192f7a4-55d0-7c3e-9b1a-2f0d6c7e8a90",
            [
                "Session 0192f7a4-55d0-7c3e-9b1a-2f0d6c7e8a91 timed out",
                "Session 0192f7a4 timed out",
            ],
        ),
        (
            "run with -Xmx512m to be safe",
            "Xmx512m",
            ["run with -Xms512m to be safe", "run with 512 m to be safe"],
        ),
        (
            "The tag #launch-2026 is official",
            "#launch-2026",
            ["The tag #launch-2025 is official", "The launch of 2026 is official"],
        ),
    ],
    "date and number": [
        (
            "Meeting on 2026-03-14 with Chen",
            "2026-03-14",
            ["Meeting on 2026-04-13 with Chen", "2026 03 14 15"],
        ),
        ("Call 555-0142 after noon", "555-0142", ["Call 555-0143 after noon", "0142 calls, 555"]),
        ("Invoice 10045 is unpaid", "10045", ["Invoice 10054 is unpaid", "Invoice 1004 is unpaid"]),
        (
            "The alarm rings at 06:45",
            "06:45",
            ["The alarm rings at 06:54", "The alarm rings at 45 past"],
        ),
        (
            "Flight LH-2026 lands late",
            "LH2026",
            ["Flight LH-2062 lands late", "Flight LX-2026 lands late"],
        ),
    ],
    "English words": [
        (
            "Grammar of O'Brien's proposal",
            "O'Brien",
            ["Brian's proposal", "The letter O"],
        ),
        (
            "I don't like cilantro",
            "don't like cilantro",
            ["I like basil and don", "I dont mind cilantro seeds"],
        ),
        (
            "Running meetings were scheduled by engineers",
            "meeting schedule engineer",
            ["Running shoes were bought by athletes", "Meeting an engine driver"],
        ),
        (
            "the who concert was loud",
            "the who",
            ["the concert was loud", "who was there in the rain"],
        ),
        ("She bought a red kayak", "buy kayak", ["She boasts of a kayak", "She paints a kayak"]),
        (
            "The children went to the museum",
            "child go museum",
            ["The chill museum goal", "The childish muse"],
        ),
        (
            "The IT crowd meets monthly",
            "IT crowd",
            ["It was crowded monthly", "Its crown is monthly"],
        ),
        (
            "The mice ate the wires",
            "mouse eats wire",
            ["The moss eased the wise", "The mousse was wired"],
        ),
        ("Her X-ray was clear", "x-ray", ["Her ray was clear", "Her xylophone was clear"]),
        (
            "The wi-fi password is on the fridge",
            "wifi password",
            ["The wife passed the fridge", "The wi password is fine"],
        ),
    ],
    "German": [
        (
            "Große Straße in Köln",
            "grosse strasse koln",
            ["Kleine Gasse in Bonn", "Grosses Strassenfest in Kolumbien"],
        ),
        (
            "Ångström Müller lives in Zürich",
            "muller zurich",
            ["Miller lives in Munich", "Mulle lives in Zug"],
        ),
        ("Die Äpfel sind reif", "äpfel", ["Die Apfelbäume sind kahl", "Der Apfel ist reif"]),
        ("Das Öl war teuer", "Öl", ["Das Ol war teuer", "Die Ölung war teuer"]),
    ],
    "French and Spanish": [
        (
            "The naïve café résumé was accepted",
            "naive cafe resume",
            ["The naval chief was accepted", "The cafeteria resumes"],
        ),
        (
            "Cafe\u0301 decomposed accents here",
            "café",
            ["Coffee composed accents", "Cafeteria accents here"],
        ),
        (
            "El año fue largo",
            "año",
            ["El ano fue largo", "El anillo fue largo"],
        ),
        ("L’école ferme tôt", "école", ["L’écolier ferme tôt", "Le collège ferme tôt"]),
        (
            "Mañana viajo a Bogotá",
            "manana bogota",
            ["La manzana de Bogo", "Manan viaja a Boston"],
        ),
    ],
    "Polish, Danish, Czech": [
        (
            "Søren paid Łukasz in Kraków",
            "soren lukasz krakow",
            ["Sara paid Lucas in Cracow", "Sorensen paid Luke"],
        ),
        ("Płatność za łódź", "łódź", ["Płatność za łódkę", "Płatność za lód"]),
        ("Žluťoučký kůň úpěl", "zlutoucky kun", ["Žlutý kůl úpěl", "Zlatý kout"]),
        ("Rødgrød med fløde", "rodgrod", ["Rødvin med fløde", "Rod med grød"]),
    ],
    "Turkish and Vietnamese": [
        ("Annem ılık çay içti", "ılık çay", ["ilik düğmesi koptu", "Annem çaydanlık aldı"]),
        ("İstanbul yağmurlu", "istanbul", ["İstasyon yağmurlu", "Isparta yağmurlu"]),
        (
            "Khách hàng thích cà phê sữa đá",
            "cà phê sữa",
            ["Khách hàng thích ca hát", "Khách hàng thích phở"],
        ),
        ("Hà Nội mùa thu", "ha noi", ["Hạ Long mùa thu", "Hải Phòng nổi tiếng"]),
    ],
    "Russian and Ukrainian": [
        (
            "Пользователь предпочитает тёмную тему",
            "темную тему",
            ["Пользователь предпочитает новую версию", "Пользователь пишет темп"],
        ),
        ("Ёлка стоит у окна", "елка", ["Ель стоит у окна", "Ёж стоит у окна"]),
        ("Київ чекає на потяг", "київ", ["Київська область чекає", "Кит чекає на потяг"]),
        ("Мой новый адрес готов", "мой адрес", ["Мои адресаты готовы", "Моей адресации нет"]),
    ],
    "Greek": [
        (
            "Ελλάδα πελάτης ζητά έκπτωση",
            "εκπτωση",
            ["Ελλάδα πελάτης ζητά τιμολόγιο", "Ελλάδα πελάτης ζητά έκθεση"],
        ),
        ("Ο ΠΕΛΆΤΗΣ πλήρωσε", "πελάτης", ["Ο πελαργός πλήρωσε", "Η πελατεία πλήρωσε"]),
        ("Η Αθήνα έχει ζέστη", "αθηνα", ["Η Αθηναία έχει ζέστη", "Το Άθως έχει ζέστη"]),
    ],
    "Arabic and Persian": [
        (
            "العميل يفضّل الدفع الشهري",
            "يفضل الدفع",
            ["العميل يكره الانتظار الطويل", "العميل يفصل الدفاع"],
        ),
        ("المدرسة مغلقة اليوم", "المدرسه", ["المدرس مغلق اليوم", "المدينة مغلقة اليوم"]),
        ("أحمد وصل مبكرا", "احمد", ["محمد وصل مبكرا", "حمد وصل مبكرا"]),
        ("کتاب‌های من در خانه است", "کتابهای", ["کار من در خانه است", "کتابخانه من اینجاست"]),
    ],
    "Hebrew": [
        ("הלקוח ביקש החזר כספי", "החזר", ["הלקוח ביקש פגישה", "הלקוח ביקש חזרה"]),
        ("שָׁלוֹם לכולם בבוקר", "שלום", ["שלומי לכולם בבוקר", "שלט לכולם בבוקר"]),
        ("הזמינו פיצה בצהריים", "פיצה", ["הזמינו פיתה בצהריים", "הזמינו פיצוחים בצהריים"]),
    ],
    "Hindi and Bengali": [
        ("मुझे हिन्दी भाषा पसंद है", "हिंदी भाषा", ["मुझे हिम पसंद है", "मुझे हिन्दू ग्रंथ पसंद है"]),
        ("दिल्ली में बारिश है", "दिल्ली", ["दिल में बारिश है", "दिवाली में बारिश है"]),
        ("আমি বাংলা ভাষায় লিখি", "বাংলা", ["আমি বাড়ি লিখি", "আমি বাংলো লিখি"]),
        ("কলকাতা শহর বড়", "কলকাতা", ["কলকল শহর বড়", "কলম শহর বড়"]),
    ],
    "Tamil and Telugu": [
        ("வணக்கம் தமிழ் மொழி", "தமிழ்", ["வணக்கம் தமர் மொழி", "வணக்கம் தமிழர் மொழி"]),
        ("சென்னை வெயில் அதிகம்", "சென்னை", ["சென்ற வெயில் அதிகம்", "சேலம் வெயில் அதிகம்"]),
        ("నాకు తెలుగు ఇష్టం", "తెలుగు", ["నాకు తెలివి ఇష్టం", "నాకు తెలుపు ఇష్టం"]),
    ],
    "Thai, Lao, Khmer, Burmese": [
        (
            "ลูกค้าชอบการชำระเงินรายเดือน",
            "ชำระเงิน",
            ["ลูกค้าชอบสินค้าราคาถูก", "ลูกค้าชอบเงินสด"],
        ),
        ("ລູກຄ້າມັກການຊຳລະເງິນ", "ຊຳລະເງິນ", ["ລູກຄ້າມັກສິນຄ້າ", "ລູກຄ້າມັກເງິນສົດ"]),
        ("អតិថិជនចូលចិត្តភ្នំពេញ", "ភ្នំពេញ", ["អតិថិជនចូលចិត្តទំនិញ", "អតិថិជនចូលចិត្តភ្នំ"]),
        ("ရုံးခန်းကို ရန်ကုန်သို့ ရွှေ့မည်", "ရန်ကုန်", ["ရုံးခန်းကို မန္တလေးသို့", "ရုံးခန်းကို ရန်သူသို့"]),
    ],
    "Chinese": [
        (
            "东京办事处的预算在三月被批准",
            "预算",
            ["东京办事处的会议在三月被取消", "东京办事处的预报在三月"],
        ),
        (
            "用户更喜欢深色模式和中文界面",
            "深色模式",
            ["用户更喜欢浅色主题和英文界面", "用户更喜欢深海模型"],
        ),
        ("AI技術の導入を決定", "AI技術", ["AI予算の導入を中止", "AI技能の導入"]),
        ("数据库迁移已经完成", "数据库迁移", ["数据中心迁走已经完成", "数字仓库已经完成"]),
        ("我喜欢喝绿茶", "绿茶", ["我喜欢喝红茶", "我喜欢绿色"]),
    ],
    "Japanese": [
        (
            "私たちは来週の月曜日に本番環境へデプロイします",
            "本番環境",
            ["私たちは来週の火曜日に会議をします", "本日の環境は静かです"],
        ),
        (
            "データベースの移行は完了しました",
            "データベース",
            ["テスト環境の構築は完了しました", "データセンターのケース"],
        ),
        ("カタカナ ﾊﾝｶｸ test", "ハンカク", ["ゼンカク test カタカナ", "ハンカチ test"]),
        ("火曜日に会議をします", "火曜日", ["水曜日に会議をします", "火事の会議をします"]),
        ("東京タワーに登った", "東京タワー", ["京都タワーに登った", "東京ドームに登った"]),
    ],
    "Korean": [
        (
            "서울 사무실은 다음 달에 이사합니다",
            "사무실",
            ["서울 회의는 다음 주에 합니다", "서울 사무관은 다음 주에 옵니다"],
        ),
        ("김치찌개를 주문했다", "김치찌개", ["김치전을 주문했다", "된장찌개를 주문했다"]),
        ("부산으로 출장을 간다", "부산", ["부천으로 출장을 간다", "울산으로 출장을 간다"]),
    ],
    "Georgian, Armenian, Amharic": [
        (
            "მომხმარებელს ყავა უყვარს",
            "ყავა",
            ["მომხმარებელს ჩაი უყვარს", "მომხმარებელს ყავარი უყვარს"],
        ),
        (
            "Հաճախորդը սուրճ է սիրում",
            "սուրճ",
            ["Հաճախորդը թեյ է սիրում", "Հաճախորդը սուր է սիրում"],
        ),
        ("ደንበኛው ቡና ይወዳል", "ቡና", ["ደንበኛው ሻይ ይወዳል", "ደንበኛው ቡናማ ይወዳል"]),
    ],
    "emoji": [
        (
            "🚀 launch party on Friday 🎉",
            "🚀",
            ["launch party on Friday 🎂", "rocket party on Friday"],
        ),
        ("pair of the week 👩‍💻", "👩‍💻", ["pair of the week 👨‍🍳", "pair of the week 👩"]),
        ("flying 🇵🇹 next week", "🇵🇹", ["flying 🇵🇱 next week", "flying 🇪🇸 next week"]),
        ("thumbs for Lea 👍🏽", "👍🏽 lea", ["thumbs for Lea 👎", "thumbs for Leo 👍"]),
    ],
}

TRICKY = [row for rows in TRICKY_BY_STYLE.values() for row in rows]

MISSES = [
    ("cat", ["The catalogue is complete", "A category of its own"]),
    ("art", ["The party of the start", "An artist in the cart"]),
    ("QX-7781", ["QXA and 77810 of them", "17781 were QXed"]),
    ("zip_tool", ["A zipper in the toolbox", "Zippy tooltips"]),
    ("Ψ", ["Ψυχή και σώμα", "Psi is a letter"]),
    ("龍", ["襲撃があった", "籠の中の鳥"]),
    ("ชา", ["ลูกค้าซื้อของ", "ผู้คนเดินทาง"]),
    ("🚲", ["bicycle 🚗 race", "bike 🚌 race"]),
    ("niño*", ["El ninot verde", "La niñera verde"]),
    ("ле*", ["лес и лето", "лебедь у леса"]),
]
"""A question that no memory answers, and memories that share a beginning or a part with it."""
