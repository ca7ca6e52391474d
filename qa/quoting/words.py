"""Words that say little of what a question is about."""

from __future__ import annotations

# By these a question asks and refers; its answer need not repeat them.
ASKING_WORDS = frozenset(
    "about according actually after all allowed also among answer any anyone ask asked based before between both"
    " bring brought call called carry carried come compare compared consist contain demand demanded describe"
    " described differ difference different do document documents does during each either every exactly explain"
    " far find first following found get give given gives go goes going got happen happened happens have hold"
    " holds identify just kind know known last let like list long made main make makes many may mean means mention"
    " mentioned more most much must name named need needed needs often old one ones only order other others own"
    " page part per please possible quote read recommend recommended refer refers require required same say says"
    " see set show shown shows since some something stand stands state stated states still summarise summarize"
    " such take taken takes tell tells thing things through told total type under until up upon use used uses"
    " using very want way ways we well went whether while whole within without work works write written wrong yes"
    " you".split()
)
# Verbs, adjectives and adverbs of every subject: that a text lacks one of them says little.
GENERAL_WORDS = frozenset(
    "able accept achieve add agree allow alone along already always apart appear apply approve arrange arrive"
    " attempt avoid away back bad begin begun behave believe belong best better big break bring broken build built"
    " buy cause certain change check choose chosen clear close come complete conduct connect consider continue"
    " control correct count cover create crude current cut daily day deal decide deliver depend design detail"
    " determine develop done drive drop early earlier easily easy effect enable end enough ensure enter entire"
    " especially establish even exact exceed except expect experience extra face fail fall fast faster feel few"
    " final finally finish fit fix fixed force form former forward free front full further general grow half"
    " handle hard help high higher highest hit hold however immediately important improve inaccurate include"
    " increase indicate inform initial instead intend introduce involve issue itself join keep kept large larger"
    " largest last late later latter lead least leave led left less lie limit little local longer look lose lost"
    " lot low lower lowest main maintain manage match matter meet middle minor modern move near nearly never new"
    " next normal notice obtain occur offer open operate order originally otherwise overall own particular pass"
    " pay paid perform permit pick place plan point position possible prefer prepare present prevent previous"
    " produce proper protect prove provide publish pull purpose push put quick quickly quite raise reach ready"
    " real really reason receive recent reduce regard regular release remain remove replace report result return"
    " right rise role run safe same save second select send separate serve settle several short shorter sign"
    " significant similar simple simply single size slow small smaller special specific specify stamp start stay"
    " still stop store strong succeed successful sudden suffer suggest suitable supply support suppose switch task"
    " teach term third throw thrown tie time together tolerate too top toward trick try turn typical unable usual"
    " usually valid value various violate visit wait want wide wish young".split()
)
# What documents are called, and the languages they are in.
DOCUMENT_WORDS = frozenset(
    "book brochure chart diagram drawing english figure file flyer form french german guide handbook leaflet"
    " manual memo note notes paper photo picture poster presentation record sheet slide spanish chinese"
    " spreadsheet table web website workbook".split()
)
