"""The words that the local engine knows. What is not here it does not guess about."""

from __future__ import annotations


def _pairs(text: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair.split("/")) for pair in text.split())


def _kinds(**verbs: str) -> dict[str, str]:
    return {form: kind for kind, forms in verbs.items() for form in forms.split()}


ARTICLES = frozenset("a an the".split())

NEGATIONS = frozenset("no not never none nobody nothing neither nor without nolonger usedto".split())
"""`nolonger` and `usedto` are made by `frames`."""

HEDGES = frozenset(
    "hardly rarely barely seldom scarcely almost nearly only except unless until before formerly former "
    "ex might maybe perhaps possibly allegedly supposedly instead although but however failed refused "
    "unable few little".split()
)
"""Words that turn or narrow a statement without being a negation: a text with one more of them is no mere detail."""

CUES = frozenset(
    "now nowadays currently anymore moved relocated switched changed instead nolonger usedto recently lately "
    "migrated replaced upgraded became correction actually updated renamed rescheduled postponed".split()
)
"""Words that report a later state of something."""

ENDINGS = frozenset(
    "sold quit stopped ended cancelled canceled divorced finished completed deleted removed resigned "
    "retired replaced switched migrated relocated fixed resolved terminated revoked broke gave stepped "
    "took instead".split()
)
"""Words that say that something is over."""

FILLERS = frozenset(
    "do does did also still really very just so too that now nowadays currently anymore these days "
    "recently lately actually correction be been being always ever any some already yet".split()
)

FIRST_PERSON = frozenset("i me my mine we us our ours myself".split())

WEIGHTLESS = frozenset("i me my mine we us our he she it they his her their is are am was were have has be and or not there this".split())
"""Words that no two statements can be said to share a topic by."""

PREPOSITIONS = frozenset("in at on by for from to with of near under over since until after before about as".split())

DETAIL_OPENERS = PREPOSITIONS - {"until", "before"} | frozenset(
    "and named called because especially mostly mainly which who where including plus via using".split()
)
"""Words after which a longer statement goes on where the shorter one ended."""

SAME = {
    "resides": "lives",
    "reside": "live",
    "boss": "manager",
    "automobile": "car",
    "favorite": "favourite",
    "mom": "mother",
    "mum": "mother",
    "dad": "father",
    "user": "i",
}
"""Words that say exactly the same, in the same person and tense."""

CHANGES = {"moved": "live", "relocated": "live", "joined": "work", "switched": "use", "migrated": "use"}
"""Verbs of change, and the state that they begin."""

# `single`: one value at a time. `many`: another value speaks against nothing. `be` is decided by what follows it.
RELATIONS = _kinds(
    be="is are am was were",
    single=(
        "live lives prefer prefers want wants work works cost costs start starts begin begins end ends "
        "open opens close closes listen listens weigh weighs run runs expire expires last lasts earn "
        "earns study studies belong belongs happen happens drive drives report reports moved relocated "
        "joined switched migrated born call called name named takes keep keeps deploy deploys store "
        "stores sleep sleeps wake wakes teach teaches leave leaves depart departs arrive arrives land "
        "lands hold holds serve serves write set"
    ),
    many=(
        "like likes love loves enjoy enjoys hate hates detest detests dislike dislikes speak speaks visit "
        "visits visited own owns have has know knows play plays bought buy buys read reads watch watches "
        "watched met eat eats drink drinks use uses went tried can need needs contain contains support "
        "supports oppose opposes collect collects follow follows said think thinks saw made wrote sent "
        "got accept accepts take"
    ),
)

LEMMAS = {
    form: lemma
    for lemma, forms in {
        "be": "is are am was were",
        "have": "has",
        "live": "lives lived living",
        "work": "works worked working",
        "like": "likes liked love loves enjoy enjoys",
        "hate": "hates hated dislike dislikes detest detests",
        "prefer": "prefers preferred",
    }.items()
    for form in forms.split()
}

ANTONYMS = _pairs(
    "like/hate on/off open/closed dark/light enabled/disabled enable/disable true/false hot/cold "
    "warm/cold early/late up/down big/small large/small left/right allowed/forbidden public/private "
    "married/single married/divorced high/low alive/dead cheap/expensive accept/reject accepted/rejected "
    "accepted/declined healthy/sick required/optional short/long easy/difficult easy/hard good/bad "
    "old/new full/empty start/stop win/lose won/lost increase/decrease rose/fell increased/decreased "
    "passed/failed passing/failing online/offline approved/rejected more/less above/below before/after "
    "buy/sell bought/sold start/end morning/evening formal/casual support/oppose remote/office"
)

_CLASSES = (
    "black white red green blue yellow orange purple brown grey gray pink silver gold",
    "monday tuesday wednesday thursday friday saturday sunday",
    "january february march april june july august september october november december",
    "hourly daily weekly monthly yearly quarterly nightly",
    "spring summer autumn winter",
    "morning noon afternoon evening night midnight",
    "north south east west",
)
CLASS_OF = {word: number for number, words in enumerate(_CLASSES) for word in words.split()}
"""Words of which a thing has one at a time: colours, days, months."""

NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split(),
    )
} | {"once": "1", "twice": "2"}

ENGLISH = frozenset(
    "i my our we the is are was were has have to in at on of for from with by and a an he she it they his her their this not".split()
)

FOREIGN = frozenset(
    "der das den dem des ein eine ich nicht und ist mein meine el la los las una que mi yo es con por "
    "para le les je et un est pas il lo gli di sono het een ik en del al se su muy du au aux des dans "
    "wir haben sind einen einem einer kein keine wurde nach bei mit für meinen unser tengo tiene tenemos dos tres una mis está "
    "estoy soy nuestro nous avons mon notre chez ho abbiamo mio mia de um uma meu minha tenho temos estou não".split()
)
"""Function words of other languages in Latin script: where they are not far fewer, the English rules stay away."""
