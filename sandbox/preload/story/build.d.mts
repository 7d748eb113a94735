/** What is wrong with the committed libraries; undefined when nothing is. */
export declare const checkPrebuilt: () => string | undefined
/** Compiles for this machine; a sentence for the person who installs, or undefined when all is well. */
export declare const compileHere: () => string | undefined
