"""Texts in many languages and scripts, and words made up in the likeness of theirs."""

SAMPLES = {
    'english': "The runners' children weren't running quickly; organizational nationalities were being considered hopefully by John's communities at the universities",
    'german': 'Die Häuser der größten Bücherfreunde wurden aufeinanderfolgend geöffnet, während Mädchen mit Füßen schönere Gärten übernahmen',
    'french': "L'avion d'aujourd'hui arriva lorsqu'il fallait finalement changer les chevaux nationaux, quoiqu'elles fussent généreusement accueillies",
    'spanish': 'Las canciones españolas rápidamente cantadas por los niños corrían hacia las naciones más generosas del corazón',
    'italian': "L'amicizia dell'università italiana, nell'attenzione quotidiana, portava gli studenti velocemente verso quest'altra città",
    'portuguese': 'As nações portuguesas rapidamente reconheceram os corações dos meninos que corriam felizmente pelos jardins e pães',
    'brazilian': 'As crianças brasileiras amavam profundamente os jogadores e as nações organizadas pelos governadores',
    'dutch': "De kinderen van de bromfietsen hebben mogelijkheden gezien die eieren en huizen 's avonds beïnvloeden",
    'swedish': 'Flickornas hemligheter och pojkarnas möjligheter förändrades snabbt över de svenska städerna',
    'norwegian': 'Jentenes hemmeligheter og guttenes muligheter forandret seg raskt over de norske byene',
    'danish': 'Pigernes hemmeligheder og drengenes muligheder forandrede sig hurtigt over de danske byer',
    'finnish': 'Suomalaisten talojen ikkunoissa näkyivät lapset, jotka juoksivat nopeasti kaupunkiemme kauneimmissa puistoissa',
    'hungarian': 'A gyermekek házaikban gyorsan megtanulták a legszebb magyar énekeket és könyveinket',
    'russian': 'Быстрые дети бежали по красивейшим улицам, рассказывая национальности университетов ещё раз',
    'bulgarian': 'Децата бързо тичаха през красивите български градове и разказваха историите на университетите',
    'czech': 'Děti rychle běžely krásnými českými městy a vyprávěly příběhy univerzitních národností',
    'greek': 'Τα παιδιά έτρεχαν γρήγορα στις όμορφες πόλεις της Ελλάδας διηγούμενα ιστορίες πανεπιστημίων και ΚΑΛΟΣ',
    'turkish': "Türkiye'nin güzel şehirlerinde çocuklar hızlıca koşuyordu, üniversitelerimizdeki IŞIKLAR İstanbul'dan geliyordu",
    'arabic': 'الأطفال يركضون بسرعة في المدن الجميلة والكتب العربية المفيدة للطلاب والجامعات ١٢٣',
    'persian': 'کودکان به سرعت در شهرهای زیبای ایران می‌دویدند و کتاب‌های دانشگاه‌ها را می‌خواندند ۴۵۶',
    'hindi': 'बच्चे तेज़ी से सुंदर शहरों में दौड़ रहे थे और विश्वविद्यालयों की कहानियाँ सुना रहे थे १२३',
    'bengali': 'শিশুরা দ্রুত সুন্দর শহরগুলোতে দৌড়াচ্ছিল এবং বিশ্ববিদ্যালয়ের গল্প বলছিল ১২৩',
    'armenian': 'Երեխաները արագ վազում էին Հայաստանի գեղեցիկ քաղաքներով պատմելով համալսարանների պատմությունները',
    'basque': 'Umeak azkar zebiltzan Euskal Herriko hiri ederretan unibertsitateetako istorioak kontatzen',
    'catalan': "Els nens corrien ràpidament per les ciutats més boniques de l'univers d'aquestes nacionalitats catalanes",
    'galician': 'Os nenos corrían rapidamente polas cidades máis fermosas das nacións galegas contando historias universitarias',
    'irish': "Bhí na páistí ag rith go tapa trí na cathracha is áille in Éirinn, an t-athair agus n-athair, D'éirigh hAontas",
    'latvian': 'Bērni ātri skrēja pa skaistākajām Latvijas pilsētām stāstot universitāšu vēstures',
    'lithuanian': 'Vaikai greitai bėgo gražiausiais Lietuvos miestais pasakodami universitetų istorijas',
    'romanian': 'Copiii alergau repede prin cele mai frumoase orașe ale României povestind istoriile universităților şi ţări',
    'sorani': 'منداڵەکان بە خێرایی لە شارە جوانەکانی کوردستاندا ڕایاندەکرد و چیرۆکەکانیان دەگێڕایەوە',
    'estonian': 'Lapsed jooksid kiiresti läbi Eesti kõige ilusamate linnade jutustades ülikoolide lugusid',
    'indonesian': 'Anak-anak berlari dengan cepat melalui kota-kota terindah menceritakan kebudayaan perusahaannya mempermainkan',
    'serbian': 'Деца су брзо трчала кроз најлепше градове Србије причајући приче љубав њихова џеп đak',
    'thai': 'เด็กๆวิ่งอย่างรวดเร็วผ่านเมืองที่สวยงามที่สุดในประเทศไทย เล่าเรื่องราวของมหาวิทยาลัย การทดสอบ ๑๒๓',
    'chinese': '孩子们在中国最美丽的城市里快速奔跑，讲述大学的故事。北京大学2023年',
    'japanese': '子供たちは日本の美しい都市を走りながら、大学の物語を語った。カタカナ ﾊﾝｶｸ ガギグ ﾎﾟｹﾓﾝ',
    'korean': '아이들은 한국의 아름다운 도시를 빠르게 달리며 대학의 이야기를 들려주었다',
    'hebrew': 'הילדים רצו במהירות בערים היפות ביותר בישראל צה"ל',
    'khmer': 'កុមារកំពុងរត់យ៉ាងលឿន ພາສາລາວ မြန်မာစာ',
}
ODD = [
    '', ' ', '\t\n', '\u3000全角\u00a0space', 'a', 'I', 'İ', 'ß', 'ſ', 'ﬁﬂ ﬀ', '😀', '😀😁 👨‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 1️⃣ ❤️', '𝒳𝓎 𐐀𐐨 𠀀𠀁', 'e\u0301 a\u0308o\u0308 n\u0303', 'Ａ１ｂ ｱｲｳ',
    "O'Neil's rock'n'roll l’avion", 'foo-bar_baz.qux/quux', 'wi-fi PowerShot500 j2se SD500-42', 'a.b.c U.S.A. AT&T Excite@Home 3.14 1,000.50',
    'http://www.example.com/path?x=1&y=2#z https://exa_mple.org:8080/ ftp://x.y', 'user.name+tag@example.co.uk <a@b.c> mailto:x@y.museum', '/usr/local/share/doc', 'C:\\Windows\\System32',
    '<p>Hello &amp; <b>world</b>&nbsp;&#65;&#x42;&eacute;&bogus; <!-- c --> <br/>x<script>y</script></p>', 'x < y > z & w &lt', 'the|1 quick|2.5 fox|bar', 'foo|3 bar|', '١٢٣ ४५६ ７８９ 一二三',
    'ab\u200bcd\u200c\u200dz', '\ufeffbom', 'a\u0000b', 'x' * 300, 'ab' * 130 + ' tail', 'ｶﾞ ﾊﾟ', 'café Café CAFÉ', 'naïve façade œuvre Æsir Øre', 'Straße STRASSE', 'ΣΊΣΥΦΟΣ Σ σς', 'ǅ ǆ Ǆ',
    'one two three four five six', 'to be or not to be', 'a a a b b a', 'one\ntwo\r\nthree', 'x,y;z:w', '(a) [b] {c}', '+1-800-555', '50% $100 €20 #tag @user', 'v1.2.3-beta', 'ÿ ž ł đ ð þ', 'क्षि త్ర', 'ñandú', '각 각',
]
SURROGATES = ['\ud800', 'a\udc00b', '\ud83d x']


def chain_of(sample):
    """What follows each pair of letters in a sample."""
    table = {}
    for word in sample.split():
        word = f'^^{word}$'
        for at in range(len(word) - 2):
            table.setdefault(word[at:at + 2], []).append(word[at + 2])
    return table


CHAINS = {language: chain_of(sample) for language, sample in SAMPLES.items()}
LANGUAGES = list(SAMPLES)


def made_up(dice, language):
    """A word that looks like one of the language."""
    made = '^^'
    while len(made) < 24:
        follow = dice.one(CHAINS[language].get(made[-2:], ['$']))
        if follow == '$':
            break
        made += follow
    return made[2:] or 'x'


def words(dice, language=None):
    """Words of a language: those of its sample, and some that look like them."""
    language = language if language in SAMPLES else dice.one(LANGUAGES)
    sample = SAMPLES[language].split()
    made = [dice.one(sample) if dice.chance(0.35) else made_up(dice, language) for _ in range(dice.int(1, 12))]
    if dice.chance(0.15):
        made = [word.upper() if dice.chance(0.5) else word.title() for word in made]
    return dice.one([' ', ' ', ' ', ', ', '-', '. ']).join(made)


def a_text(dice, language=None):
    """A text: of the language, of any other, or an odd one."""
    how = dice.weighted({'language': 6, 'any': 2, 'odd': 4, 'both': 1})
    if how == 'language':
        return words(dice, language)
    if how == 'any':
        return words(dice)
    if how == 'odd':
        return dice.one(ODD)
    return dice.one(ODD) + dice.one([' ', '', '\n']) + words(dice, language)


def texts(dice, language=None):
    """One text or several."""
    if dice.chance(0.75):
        return a_text(dice, language)
    made = [a_text(dice, language) for _ in range(dice.int(1, 3))]
    if dice.chance(0.05):
        made.append(dice.one([5, 1.50, True, '']))
    if dice.chance(0.02):
        made.append(dice.one(SURROGATES))
    return made
