# ruff: noqa: RUF001  letters that look like Latin ones are what this table is about
"""One memory and one question a script, and a distractor that shares a part with the question."""

from __future__ import annotations

SCRIPTS = {
    "korean": ("서울 사무실은 다음 달에 이사합니다", "사무실", "서울 회의는 다음 주에 합니다"),
    "russian": ("Пользователь выбрал Тёмную тему", "тёмную тему", "Пользователь ждёт версию"),
    "greek": ("Ο ΠΕΛΆΤΗΣ ζητά έκπτωση", "έκπτωση πελάτης", "ζητά τιμολόγιο"),
    "arabic": ("العميل يفضّل الدفع الشهري", "يفضّل الدفع", "العميل يكره الانتظار"),
    "hebrew": ("הלקוח ביקש החזר כספי", "החזר", "הלקוח ביקש פגישה"),
    "thai": ("ลูกค้าชอบการชำระเงินรายเดือน", "ชำระเงิน", "ลูกค้าชอบสินค้าราคาถูก"),
    "lao": ("ລູກຄ້າມັກການຊຳລະເງິນ", "ຊຳລະເງິນ", "ລູກຄ້າມັກສິນຄ້າ"),
    "burmese": ("ရုံးခန်းကို ရန်ကုန်သို့ ရွှေ့မည်", "ရန်ကုန်", "ရုံးခန်းကို မန္တလေးသို့"),
    "khmer": ("អតិថិជនចូលចិត្តភ្នំពេញ", "ភ្នំពេញ", "អតិថិជនចូលចិត្តទំនិញ"),
    "hindi": ("मुझे हिन्दी भाषा पसंद है", "हिन्दी भाषा", "मुझे हिम पसंद है"),
    "bengali": ("আমি বাংলা ভাষায় লিখি", "বাংলা", "আমি বাড়ি লিখি"),
    "tamil": ("வணக்கம் தமிழ் மொழி", "தமிழ்", "வணக்கம் தமர் மொழி"),
    "telugu": ("నాకు తెలుగు ఇష్టం", "తెలుగు", "నాకు తెలివి ఇష్టం"),
    "turkish": ("Annem ISPARTA'da ılık çay içti", "ılık çay", "ilik düğmesi koptu"),
    "vietnamese": ("Khách hàng thích cà phê sữa đá", "cà phê sữa", "Khách hàng thích ca hát"),
    "german": ("Die große Straße in Köln", "GROSSE STRASSE", "Die kleine Gasse in Bonn"),
    "french": ("L’ÉCOLE ouvre en été", "école", "Le collège ouvre en été"),
    "polish": ("Łukasz mieszka w Krakowie", "łukasz", "Lucjan mieszka w Krakowie"),
    "nfd": ("Cafe\u0301 de la re\u0301publique", "café république", "Cage de la reprise"),
    "emoji": ("launch party 🚀 on Friday 🎉", "🚀", "launch party on Friday 🎂"),
    "emoji sequence": ("pair of the week 👩‍💻", "👩‍💻", "pair of the week 👨‍🍳"),
    "flag": ("flying 🇵🇹 next week", "🇵🇹", "flying 🇪🇸 next week"),
    "chinese": ("东京办事处的预算在三月被批准", "预算", "东京办事处的会议在三月被取消"),
    "one ideograph": ("火曜日に会議をします", "火", "水曜日に会議をします"),
    "japanese": ("今日は成語しりとりをした", "しりとり", "明日は雨がふる"),
    "katakana": ("データ・ベースの移行", "ﾃﾞｰﾀ", "テスト・ケースの移行"),
    "full width": ("ＰＯＳＴＧＲＥＳ を使う", "postgres", "ＳＱＬＩＴＥ を使う"),
    "persian": ("کتاب‌های من در خانه است", "کتابهای", "کار من در خانه است"),
    "amharic": ("ደንበኛው ቡና ይወዳል", "ቡና", "ደንበኛው ሻይ ይወዳል"),
    "georgian": ("მომხმარებელს ყავა უყვარს", "ყავა", "მომხმარებელს ჩაი უყვარს"),
    "armenian": ("Հաճախորդը սուրճ է սիրում", "սուրճ", "Հաճախորդը թեյ է սիրում"),
}
