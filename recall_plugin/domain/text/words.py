"""Words: what counts as one in any script, which say nothing by themselves, and which belong together.

The lists are our own. A word is given folded (`folding.fold`) or at least in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from recall_plugin.domain.text.scripts import UNSPACED, UNSPACED_CHARACTER, WORD_CHARS, word_set

_JOINTS = "'’./@:-"
_ASCII_TOKEN = re.compile(r"\w+(?:['./@:-]\w+)*")
_SPACED_TOKEN = re.compile(rf"[{WORD_CHARS}]+(?:[{_JOINTS}][{WORD_CHARS}]+)*")
_ANY_TOKEN = re.compile(rf"(?:(?![{UNSPACED}])[{WORD_CHARS}])+(?:[{_JOINTS}](?:(?![{UNSPACED}])[{WORD_CHARS}])+)*")


def token_pattern(text: str) -> re.Pattern[str]:
    """Finds the words of `text` in scripts with spaces. Identifiers keep their joints: `parser.py`, `fix/last-row`."""
    if text.isascii():
        return _ASCII_TOKEN
    return _ANY_TOKEN if UNSPACED_CHARACTER.search(text) else _SPACED_TOKEN


# English words that ask or join. A query keeps them at a low weight; they never are a topic.
FUNCTION_WORDS = word_set("""
    a about above after again ago ain't all also although am an and any anybody anyone anything are aren't as at
    be because been before being below between both but by can can't cannot could couldn't did didn't do does
    doesn't doing don't done down during each either else ever every everybody everyone everything exactly few
    for from further get gets got had hadn't has hasn't have haven't having he her here hers herself him himself
    his how i if i'd i'll i'm i've in into is isn't it it's its itself just kind let let's like many may me
    might more most much must my myself no nor not of off on once one only or other our ours ourselves out over
    own please quite rather really same she should shouldn't since so some somebody someone something sort still
    such tell than that that's the their theirs them themselves then there there's these they they'd they'll
    they're they've thing things this those through to too under until up upon us very was wasn't we we'd we'll
    we're we've were weren't what what's whatever when where whether which whichever while who who's whom whose
    why will with within without won't would wouldn't yes yet you you'd you'll you're you've your yours yourself
    actually already currently called remember recall said say says mention mentioned ask asked told
    """)

# Content words too common in talk and in work with an agent to describe a session.
_COMMON = word_set("""
    able accept cause causes across add added adding agree agreed ah aha always amazing another answer anyway
    anymore apart apparently around asking available away awesome back bad based basically became become began
    begin beginning behind believe best better big bit bring brought call calling came care case cases certain
    change changed changes changing check checked checking choose chose chosen clean clear clearly close code
    come comes coming command common complete completely confirm consider contain contains content continue
    correct correctly couple course create created creating current cut date day days deal decide decided
    decision default definitely detail details different difficult directly doc does dont easily easy effect end
    ended ends enjoy enough entire entirely especially etc even event eventually everywhere exact example
    excellent exciting exist existing exists expect expected extra face fact fail failed failing fails fair
    fairly far fast favorite feel feeling feels felt figure file files final finally find finding fine finish
    finished first fit five fix fixed fixes fixing follow following follows forget forward found four free
    friday fully fun function fyi gave general generally getting give given gives glad go goes going gone good
    gonna great group guess guys had half hand handle handled handles happen happened happening happens happy
    hard hear heard held hello help helped helpful helps hey hi hold hope hoping hour hours however huge idea
    ideas immediately important include included includes including indeed inside instead interested interesting
    isnt issue issues job keep keeping keeps kept key kinda knew know knowing known knows large last lately
    later latest lead learn leave left less lets letting life light line lines list little live ll lol long
    longer look looked looking looks lost lot lots love loved low made main make makes making man matter matters
    maybe mean meaning means meant meet met might mind minute minutes miss moment monday month months morning
    move moved moving name named noted nearly need needed needs never new next nice night none normal note notes
    nothing notice noticed now number obviously often oh ok okay old ones open opened order original others
    otherwise outside overall part particular past pay people perfect perhaps person pick picked piece place
    plan plans play point points possible possibly pretty previous previously probably problem problems proceed
    properly proud provide put question questions quick quickly ran re read reading ready real reason reasonable
    recent recently related remain remains remove removed removes removing report required rest result results
    return returned returns review right run running runs sat saturday saw saying second see seeing seem seems
    seen send sense sent separate set sets setting several share shared short show showed showing shown shows
    side similar simple simply single small sometimes somewhere soon sorry sound sounds specific specifically
    spent standard start started starting starts state stay step steps stick stop stopped stuff stupid suggest
    sun sunday super support suppose sure switch switched take taken takes taking talk talking tell test tested
    testing tests text thank thanks think thinking thought thoughts thread three throw thru thursday till time
    times today together tomorrow tonight took top total totally toward towards tried tries true try trying
    tuesday turn turned turns two type typically uh um understand understood unfortunately unless update updated
    updates updating use used useful user uses using usual usually value values various ve via wait waiting
    wanna want wanted wanting wants way ways wednesday week weekend weeks welcome well went whatever whole wish
    wonder wonderful wondering won word words work worked working works world worry worth worse wow write
    writing written wrong wrote yeah year years yep yesterday yet absolutely good-looking approach appreciate
    appreciated bye cool dear doesn don didn isn wasn aren couldn wouldn shouldn hasn haven ain gotta info
    information inspiring keen lovely passes passed pass passing pic picture photo proper reach relax summary
    sample section success successful successfully truly whenever wherever anytime goodbye tbh btw afaik imo
    todo done fixme false null self int str var let const def http https www com org html
    """)

# By language, what marks it and never describes: the language counts as spoken when enough of these are there.
_OTHERS: Mapping[str, frozenset[str]] = {
    language: word_set(words)
    for language, words in {
        "de": """
    aber alle allem allen aller alles als also am an andere auch auf aus bei beim bin bis bist bitte da dabei
    damit danach dann darum das dass daß dein dem den denn der des dessen deshalb dich die dies diese diesem
    diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einfach er es etwas euch für
    ganz gar gerade gern gibt gut habe haben hast hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem
    ihren im immer in ins ist ja jede jeden jeder jedes jetzt kann kannst kein keine keinen können könnte machen
    macht man mehr mein meine mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne schon sehr
    sein seine sich sie sind so soll sollen sollte sollten über um und uns unser unsere unter viel vom von vor
    wann war waren warum was weil weiter welche welchen welcher welches wenn wer werde werden wie wieder will
    wir wird wirst wo wollen wurde wurden zu zum zur zwischen danke hallo heute morgen gestern letzte letzten
    neue neuen beide entschieden statt mal erst bereits
    """,
        "fr": """
    ai aie alors après as au aucun aussi autre aux avait avec avez avoir avons bien bon bonjour car ce cela ces
    cet cette ceux chaque comme comment dans de déjà depuis des deux doit donc dont du elle elles en encore
    entre es est et était été être eu faire fait faut ici il ils je jamais jour la là le les leur leurs lui ma
    mais merci me même mes moi moins mon ne nos notre nous on ont ou où par parce pas peu peut plus pour
    pourquoi puis qu quand que quel quelle quelles quels qui quoi sa sans se sera ses si son sont sous sur ta te
    tes toi ton toujours tous tout toute très trop tu un une va vers veux vos votre vous décidé avant hier
    demain c'est d'abord d'accord j'ai n'est qu'il s'il
    """,
        "es": """
    a al algo ahora alguien ante antes así aún aunque bien bueno cada casi como cómo con contra cual cuál cuales
    cuando cuándo cuánto de del desde donde dónde dos el él ella ellas ellos en entonces entre era es esa ese
    eso esta está están estar estas este esto estos estoy fue gracias ha había hace hacer han has hasta hay he
    hemos hola hoy la las le les lo los más mañana me mi mí mis mucho muy nada ni no nos nosotros nuestra
    nuestro o otra otro para pero poco por porque puede pues que qué quién quiero se sea ser si sí sido siempre
    sin sobre solo son su sus también tan tanto te tengo tiene todo todos tu un una uno unos usar usted va vamos
    ver voy y ya yo decidimos
    """,
        "pt": """
    a ainda ao aos as até bem cada com como da das de dela dele depois do dos e é ela ele eles em entre era essa
    esse esta está este eu foi foram há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos
    nós nossa o obrigado onde os ou para pela pelo por porque qual quando que quem se sem ser seu só sua também
    te tem têm tinha tudo um uma você vamos decidimos
    """,
        "it": """
    a ad agli ai al alla alle anche ancora che chi ci come con cosa da dal dalla degli dei del della delle di
    dove e è ed era fare gli grazie ha hanno ho i il in io la le lo loro ma mi mia mio molto ne nel nella noi
    non nostro o ogni per perché più poi qual quale quando quella quello questa questo qui sarà se sei si sia
    sono su sua suo te ti tra tu tutti tutto un una uno va vi voi
    """,
        "nl": """
    aan al alle als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge
    geen haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me
    meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch
    toen tot u uit uw van veel voor waar want waren was wat werd wezen wie wil worden wordt zal ze zelf zich zij
    zijn zo zonder zou
    """,
        "ru": """
    а без более был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее её
    если есть еще ещё же за здесь и из или им их к как какой когда кто ли лучше между меня мне много может можно
    мой мы на над надо наш не него нее неё ней нет ни них но ну о об однако он она они оно от очень по под после
    потом потому почему при про раз с сам свой себя сейчас со так также такой там тебя тем то того тоже только
    том ты у уже хорошо чего чей чем что чтобы эта эти это этого этой этом этот я спасибо привет давай
    """,
    }.items()
}
_ENGLISH_MARKS = word_set("the and is are was to of that it you for with have not this be")

# Characters that a Chinese or Japanese word does not contain, as far as topics and weights are concerned.
_UNSPACED_FUNCTION = frozenset(
    "的了是在我你您他她它们这那哪就也和与及很都吗呢吧啊呀嘛把被让给对着过不没有个么什谁怎为因所以而但或如果要会能可请从到向比还再又只已经"
    "最更太将其之则于由此每各一二三四五六七八九十上下中里外前后时候今明昨用想说去来做好看得地得些样何"
)
_HAN_OR_KATAKANA = re.compile(
    "[\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+|[\u30a1-\u30fa\u30fc]{2,}"
)


def common_words(counted: Iterable[str]) -> frozenset[str]:
    """The words that describe nothing in the languages spoken: English, and each of which the words give enough marks.

    counted: the distinct words of a text or a query.
    """
    words = frozenset(counted)
    spoken = [common for common in _OTHERS.values() if _is_spoken(words, common)]
    return FUNCTION_WORDS.union(_COMMON, *spoken)


def function_words(words: Iterable[str]) -> frozenset[str]:
    """The words that only ask or join, in English and in the other languages that a query of these words is in."""
    distinct = frozenset(words)
    spoken = [common for common in _OTHERS.values() if _is_spoken(distinct, common)]
    return FUNCTION_WORDS.union(*spoken)


def _is_spoken(words: frozenset[str], common: frozenset[str]) -> bool:
    own = len((words & common) - FUNCTION_WORDS)
    if len(words) > 200:
        return own >= 20
    return own >= 2 and own > len(words & _ENGLISH_MARKS)


def says_nothing(pair: str) -> bool:
    """Whether a word of an unspaced script holds a character that only asks or joins (的, 什, 我) or is kana only."""
    return not _UNSPACED_FUNCTION.isdisjoint(pair) or all("\u3041" <= character <= "\u309f" for character in pair)


def unspaced_pieces(text: str) -> list[str]:
    """The runs of Han and of katakana in `text`, cut at the characters that only ask or join; each of two or more.

    Thai and its neighbours give none: without a dictionary their words cannot be told apart.
    """
    pieces: list[str] = []
    for match in _HAN_OR_KATAKANA.finditer(text):
        piece = match.group()
        if not _UNSPACED_FUNCTION.isdisjoint(piece):
            piece = "".join(" " if character in _UNSPACED_FUNCTION else character for character in piece)
        pieces += [part for part in piece.split() if len(part) > 1]
    return pieces


_HANGUL_PARTICLE = re.compile(r"(?<=[\uac00-\ud7a3]{2})(?:에서|으로|은|는|이|가|을|를|의|에|로|와|과|도)\Z")


def without_particle(word: str) -> str:
    """A Korean word without the particle at its end, where two syllables or more stand before it."""
    return _HANGUL_PARTICLE.sub("", word)
