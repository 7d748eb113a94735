import '../brannock.mjs'
