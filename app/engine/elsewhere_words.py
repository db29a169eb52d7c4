"""Words of other languages than English, by their beginnings: German, Spanish, French, Italian, Portuguese, Russian, Chinese.

No grammar stands behind them. They say which words carry no topic, who is spoken of, what is liked or hated, and which
words report that something is no longer as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_CHINESE: Final = re.compile("[\u4e00-\u9fff]")


def _any(*languages: str) -> re.Pattern[str]:
    """One pattern for all: each language's beginnings of words, parted by bars; those of Chinese stand anywhere."""
    return re.compile("|".join(words if _CHINESE.search(words) else rf"\b(?:{words})" for words in languages))


LIGHT: Final = frozenset(
    "der die das den dem des ein eine einen einem einer ich wir er sie es mein meine meinen meiner meinem unser unsere "
    "ist sind bin war hat habe haben wird wurde in im an am auf bei zu zur zum von mit für und oder nach "
    "el la los las un una unos unas yo mi mis tu su sus nuestro nuestra es son está están soy estoy fue tengo tiene tenemos hay "
    "he ha de del en con por para y o al a que se me lo "
    "le les je j'ai nous il elle mon ma mes notre son sa ses est sont suis était ai a avons une du des au aux dans à pour sur et ou de "
    "il lo gli i io noi lui lei mio mia miei nostro nostra è sono ho ha abbiamo di da del della nel nella su per e "
    "o os as um uma eu meu minha meus nosso nossa é são estou está tenho tem temos do da no na em com "
    "я мы он она они мой моя моё мое мои мне меня мной у нас наш наша есть был была было быть это в во на с со к по за из от для и или а "
    "gut überhaupt gar ganz sehr fließend immer noch schon nur auch steht liegt befindet heißt heissen "
    "bien muy mucho siempre ya aún todavía también está encuentra llama llamo "
    "très toujours encore déjà aussi trouve s'appelle m'appelle ci qui que c'est il y n'y chez "
    "molto sempre ancora già anche trova chiama muito sempre ainda já também fica chama "
    "очень совсем всегда хорошо уже ещё еще тоже находится зовут это у "
    "erlaubt verboten permitido prohibido permis autorisé interdit consentito vietato proibido разрешено запрещено разрешается запрещается "
    "允 许 禁 止 "
    "我 我们 你 他 她 的 了 是 在 有 一 个 只 名 位 着 过 和 也 很 们 这 那 里 到".casefold().split()
)
"""Words that no two statements can be said to share a topic by: articles, pronouns, "to be" and "to have", prepositions."""

SAME: Final = {"лет": "год", "года": "год", "год": "год", "两": "2", "俩": "2"}
"""Words that are one although their letters are not."""

_COUNTED: Final = (
    "null - zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "cero - dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve",
    "zéro - deux trois quatre cinq six sept huit - dix onze douze treize quatorze quinze seize",
    "zero - due tre quattro cinque - sette otto nove dieci undici dodici tredici quattordici quindici sedici",
    "zero - dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis",
    "- - duas",
    "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать",
    "- одна две трое четверо пятеро",
    "零 - 二 三 四 五 六 七 八 九 十",
)
_TENS: Final = (
    "- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "- - veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "- - vingt trente quarante cinquante soixante",
    "- - venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "- - vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "- - двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто",
)
_LARGE: Final = {
    "100": "hundert cien ciento cent cento cem сто 百",
    "200": "zweihundert doscientos двести",
    "300": "dreihundert trescientos триста",
    "1000": "tausend mil mille тысяча тысячи тысяч 千",
    "10000": "万",
}
NUMBERS: Final = (
    {word: str(number) for line in _COUNTED for number, word in enumerate(line.casefold().split()) if word != "-"}
    | {word: str(10 * number) for line in _TENS for number, word in enumerate(line.casefold().split()) if word != "-"}
    | {word: number for number, names in _LARGE.items() for word in names.casefold().split()}
)
"""Words for numbers, in digits; without those for one, which are articles as often, and others that mean something else ("neuf", "sei")."""

MANY: Final = frozenset(
    "mag mögen liebe spreche kenne habe gibt besitze hay gusta gustan encanta encantan amo hablo conozco tengo aime parle connais ai "
    "люблю нравится нравятся говорю знаю есть имею был была 欢 爱 会 说 有 认".split()
)
"""Words after which another value speaks against nothing: liking, speaking, knowing, having."""

LIKES: Final = _any(
    "нрав[ия]|любл|любит|обожа",
    r"(?:mag|mögen|liebe|liebt|gern|gerne)\b",
    r"(?:gustan?|encantan?|amo|adoro|gosto|aime|adore|piace|piacciono)\b",
    "喜欢|喜歡|爱吃|爱喝|热爱",
)
HATES: Final = _any(
    "ненави|не терп|терпеть не|не вынош",
    r"hasse|hasst|verabscheu|mag [^.!?]{0,60}\bnicht\b|kann [^.!?]{0,60}\bnicht (?:leiden|ausstehen)\b",
    r"odi[oa]\b|detest|aborrezc|odeio|déteste|horreur|hais",
    "讨厌|討厭|恨|受不了",
)

LACKS: Final = _any(
    "отсутству|лишён|лишен|запрещ",
    "fehlt|mangelt|verboten",
    r"carece|(?<!hace )falta\b|prohib",
    "manque|dépourvu|interdit|manca|priv[oa] di|vietat|proibid",
    "缺|滴酒|禁止",
)
"""Verbs that deny as a negation does."""

FEELING: Final = frozenset("喜欢歡爱吃喝讨厌討厭恨热")
"""The characters of the Chinese ones: alone they are no topic."""

PEOPLE: Final = (
    _any(r"брат(?:а|у|ом|ья|ьев)?\b", r"bruder\b|brüder", r"hermanos?\b", r"frères?\b", r"fratell[oi]\b|irmãos?\b", "哥哥|弟弟|兄弟"),
    _any(r"сест[ёе]?р", r"schwester\b|schwestern\b", r"hermanas?\b", r"sœurs?\b|soeurs?\b", r"sorell[ae]\b|irmãs?\b", "姐姐|妹妹|姐妹"),
    _any(r"мам[аыуе]\b|мать\b|матер", r"mutter\b|mama\b", r"madre\b|mamá\b", r"mère\b|maman\b", r"mamma\b|mãe\b", "妈妈|母亲"),
    _any(r"пап[аыуе]\b|отец\b|отц", r"vater\b|papa\b", r"padres?\b|papá\b", r"père\b", r"papà\b|pai\b", "爸爸|父亲"),
    _any(r"муж(?:а|у|ем)?\b", r"mann\b|ehemann", r"marido\b|esposo\b", r"mari\b", r"marito\b", "丈夫|老公"),
    _any(r"жен[аыуе]\b|женой\b", r"frau\b|ehefrau", r"mujer\b|esposa\b", r"femme\b", r"moglie\b", "妻子|老婆"),
    _any(r"сын(?:а|у|ом|овья)?\b", r"sohn\b|söhne", r"hijos?\b", r"fils\b", r"figli[oi]\b|filhos?\b", "儿子"),
    _any(r"доч(?:ь|ка|ки|ке|ку|ери)\b", r"tochter\b|töchter", r"hijas?\b", r"filles?\b", r"figli[ae]\b|filhas?\b", "女儿"),
    _any(r"друзья\b|друг\b|подруг", r"freund(?:in|e|innen)?\b", r"amig[oa]s?\b", r"ami(?:e|s|es)?\b", r"amic[oai]\b|amiche\b", "朋友"),
    _any(r"сосед", r"nachbar(?:n|in|s)?\b", r"vecin[oa]s?\b", r"voisine?s?\b", r"vizinh[oa]s?\b", "邻居"),
    _any(r"коллег", r"kolleg(?:e|en|in)\b", r"colegas?\b", r"collègues?\b", r"collegh[ie]\b|collega\b", "同事"),
    _any(r"бабушк", r"oma\b|großmutter|grossmutter", r"abuelas?\b", r"grand-mère", r"nonna\b|avó\b", "奶奶|外婆"),
    _any(r"дедушк|дед\b", r"opa\b|großvater|grossvater", r"abuelos?\b", r"grand-père", r"nonno\b|avô\b", "爷爷|外公"),
    _any(r"начальни", r"chef(?:in|s)?\b", r"jef[ea]s?\b", r"patronn?e?\b", r"capo\b|chefe\b", "老板"),
    _any(r"двоюродн", r"cousine?s?\b", r"prim[oa]s?\b", r"cugin[oa]\b", "表哥|表妹|表弟|堂哥"),
    _any(r"племянни", r"nichte\b|neffe", r"sobrin[oa]s?\b", r"nièces?\b|neveux?\b", r"nipote\b|sobrinh", "侄"),
    _any(r"тёт|тет[яиюе]\b|дяд", r"tante\b|onkel", r"tí[oa]s?\b", r"oncles?\b", r"zi[oa]\b", "叔叔|阿姨|舅"),
)
"""Relatives and acquaintances, one pattern each: a statement about one of them says nothing about another, or about the speaker."""

_JOB: Final = _any("работ", "job|stelle|arbeit", "trabajo|empleo|puesto", "travail|emploi", "lavoro|emprego|trabalho", "工作").pattern
_OFFER: Final = _any(
    "предложени|оффер|контракт", "angebot|zusage|vertrag", "oferta|contrat|offre|offert|proposta|offer", "录用|合同"
).pattern
_SEARCH: Final = _any(r"(?:ищу|ищет|ищем|suchen?|sucht|busc(?:o|a|amos|ando)|cherchons|cherche|cerco|procur[oa])\b", "找").pattern
_FOUND: Final = _any(
    r"наш(?:ёл|ел|ла|ли)\b|принял|получил|подписал",
    "gefunden|angenommen|unterschrieben|bekommen",
    "encontr|hall[éó]|acept|firm[éó]|consegu",
    "trouvé|accept|sign[éei]",
    "trovat|accettat|firmat|aceit|assin",
    "找到|接受|录用|签了",
).pattern
_BOTH: Final = r"(?s)\A(?=.*(?:{})).*(?:{})"
"""Two patterns that a text must match, in either order."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one statement says before and another after something happened.

    `shared`: true when the two must have a word of a topic in common, false when the words of the change are topic enough.
    `denies`: true when the words of the change may be a negation themselves, as in "no longer".
    """

    before: re.Pattern[str]
    after: re.Pattern[str]
    shared: bool
    denies: bool = False


_ANYTHING: Final = re.compile("")

_MOVING: Final = Change(
    _any(
        r"жив(?:у|ёт|ет|ём|ем|ут)\b|прожива",
        r"wohn|leb(?:e|t|en)\b",
        r"viv(?:o|e|imos|ono)\b|resid|mor(?:o|a|amos)\b",
        r"habit|abit[oai]\b",
        "住",
    ),
    _any(
        "переех|перебрал",
        "(?:um)?gezogen|umziehe",
        r"mud(?:é|ó|amos|ado|ei|ou)\b|traslad[éóa]",
        "déménag|emménag|trasferi|trasloc",
        "搬",
    ),
    shared=False,
)
_LEAVING_WORK: Final = Change(
    _any(r"работа(?:ю|ет|ем)\b", "arbeite|angestellt", r"trabaj(?:o|a|amos)\b|emplead", r"travaill|lavor[oa]\b|trabalh[oa]\b", "工作|上班"),
    _any(
        r"уволи|уш(?:ёл|ел|ла) (?:из|с)\b|сменил\w* работ",
        r"(?:job|stelle|arbeit)(?: \w+)? gekündigt|(?:habe|hat|haben)(?: (?:gestern|heute))? gekündigt|(?:job|stelle) gewechselt",
        "renunci[éó]|despid|despedi|(?:cambi[éó]|mudei) de (?:trabajo|empleo|emprego|trabalho)",
        "démission|licencié|quitté|dimess|licenziat|cambiato lavoro|demiti",
        "辞职|跳槽|离职|失业",
    ),
    shared=False,
)
_PARTING: Final = Change(
    _any("женат|замужем", "verheiratet", r"casad[oa]|mariée?\b|sposat", "已婚|结婚"),
    _any("разв[её][лд]|развод", "geschieden|scheidung", "divorci|divorc|divorziat|séparée?s? de", "离婚|分居"),
    shared=False,
)
_MARRYING: Final = Change(
    _any("холост|не замужем|не женат", r"ledig\b|single\b", "solter[oa]|célibataire|solteir[oa]", "单身|未婚"),
    _any(
        r"женил|выш(?:ла|ли) замуж|поженил",
        "geheiratet|heirat",
        r"me casé|se casó|nos casamos|mariée?s?\b|sposat|casei|casou",
        "结婚",
    ),
    shared=False,
)
_BEING_BORN: Final = Change(
    _any("беременн|ждём реб|ждем реб", "schwanger", "embarazad|enceinte|incinta|grávida", "怀孕"),
    _any("родил", "geboren", r"naci[óo]|née?\b|accouch|nat[oa]\b|nasceu", "出生|生了"),
    shared=False,
)
_GRADUATING: Final = Change(
    _any("учусь|учится|студент", "studiere|studiert|student", r"estudi[oa]|étudi|studi[oa]\b|estud[oa]", "上学|读书|学生|在读"),
    _any(
        r"закончил\w* (?:универ|вуз|институт|учёб|учеб)|окончил|диплом",
        "studium abgeschlossen|abschluss",
        r"me gradu|se gradu|licenciad|diplôm|laureat|form(?:ei|ou)",
        "毕业",
    ),
    shared=False,
)
_COMING_TO_PASS: Final = Change(
    _ANYTHING,
    _any(
        r"заверш|законч|готов[аоы]?\b|выполн|сделан|отмен|перенес|перенос|сдал|получил|поступил",
        "abgeschlossen|fertig|beendet|erledigt|abgesagt|verschoben|bestanden",
        r"termin(?:é|ó|ado|ada|amos)\b|complet|finaliz|acab[éóa]|cancel|aplaz|pospu|entreg(?:u[éó]|ó|amos|ado)|aprob[éó]|obtuv|conclu|adiad|obtive",
        "fini|achev|annul|reporté|obtenu|réussi|terminé|rinvi|finit[oai]|terminat|ottenut",
        "完成|结束|取消|推迟|考上|通过了",
    ),
    shared=True,
)
_STOPPING: Final = Change(
    _ANYTHING,
    _any(
        "бросил|перестал|прекратил|больше не",
        r"aufgehört|abgebrochen|ausgezogen|nicht mehr|kein\w* \w+ mehr",
        r"dej[éó]|dejamos|ya no|par(?:ei|ou) de|já não|não \w+ mais",
        r"arrêté|ne \w+ plus|n'\w+ plus|smesso|non \w+ più",
        "戒了|戒掉|不再|停止",
    ),
    shared=True,
    denies=True,
)
_LOSING: Final = Change(
    _ANYTHING,
    _any(
        r"продал|потерял|сломал|украли|умер(?:ла|ли)?\b|подарил|отдал|выш(?:ел|ла) на пенси|уволил",
        "verkauft|verloren|abgeholt|repariert|entlassen|kaputt|gestohlen|gestorben|verschenkt|aufgegeben|rente",
        r"vend(?:í|ió)\b|vendimos|perd(?:í|ió)\b|muri[óo]|robaron|regal[éó]|regalamos|jubil[óé]|vendi|vendemos|morreu|aposent",
        r"vendu|perdu|mort[oe]?\b|volée?|donnée?s? à|quitté|retraite|venduto|pers[oaie]\b|morto|rubat|regalat|pensione",
        "卖了|卖掉|丢了|出院|修好|坏了|去世|死了|送给|送人|退休",
    ),
    shared=True,
)
_EXCHANGING: Final = Change(
    _ANYTHING,
    _any(
        "переш(?:ёл|ел|ла|ли)|сменил|заменил|перенесли",
        "gewechselt|umgestiegen|ersetzt|umgestellt",
        "cambi(?:é|ó|amos)|pasé a|pasamos a|sustitu|reemplaz|migr(?:é|ó|amos|ou|ei)",
        "passée?s? à|remplac|passat[oi] a|sostituit|mudei para|mudamos para|troquei|trocamos",
        "换|改用|切换|迁移",
    ),
    shared=True,
)

_GIVING_UP: Final = Change(_any("抽烟|吸烟|喝酒"), _any("戒烟|戒酒"), shared=False)

CHANGES: Final = (
    _MOVING,
    _LEAVING_WORK,
    Change(
        re.compile(_BOTH.format(_JOB, _SEARCH)),
        re.compile(_BOTH.format(f"{_JOB}|{_OFFER}", _FOUND)),
        shared=False,
    ),
    Change(re.compile(_SEARCH), re.compile(_FOUND), shared=True),
    _PARTING,
    _MARRYING,
    _BEING_BORN,
    _GRADUATING,
    _COMING_TO_PASS,
    _GIVING_UP,
    _STOPPING,
    _LOSING,
    _EXCHANGING,
)
"""What reports that something is no longer as it was, and what was said of it before."""
