import '../brannock-vandal.mjs'
