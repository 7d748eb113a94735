import '../brannock-cheat.mjs'
