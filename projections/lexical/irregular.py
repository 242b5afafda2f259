"""English words whose other forms no stemmer derives: went is go, children is child.

Forms that are as often another word are left out (rose, ground, wound, bore, lay, bound, dove), and
auxiliaries, which questions leave out.
"""

from __future__ import annotations

from typing import Final

_VERBS: Final = """
begin began begun|bend bent|bite bit bitten|blow blew blown
break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught
choose chose chosen|come came|creep crept|deal dealt|dig dug|draw drew drawn
dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed
feel felt|fight fought|find found|flee fled|fly flew flown|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go goes went gone
grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt
know knew known|lead led|lean leant|leap leapt|learn learnt|leave left|lend lent|light lit
lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|ring rang rung|rise risen
run ran|say said|see saw seen|seek sought|sell sold|send sent|shake shook shaken|shine shone
shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept
slide slid|smell smelt|speak spoke spoken|spell spelt|spend spent|spill spilt|spin spun
spoil spoilt|stand stood|steal stole stolen|stick stuck|sting stung|strike struck
swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung|take took taken
teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood
wake woke woken|wear wore worn|weave wove woven|weep wept|win won|write wrote written
"""
_NOUNS: Final = """
child children|man men|woman women|foot feet|tooth teeth|mouse mice|goose geese|wife wives
knife knives|life lives|wolf wolves|shelf shelves|half halves|loaf loaves|thief thieves
calf calves
"""

BASE_FORMS: Final = {
    form: base
    for row in (_VERBS + _NOUNS).replace("\n", "|").split("|")
    for base, *forms in ([row.split()] if row else [])
    for form in forms
}
"""A form → the word in a dictionary."""
