/** The JSON pointer that a warning names, or nothing. */
export const pointerIn = (warning: string): string =>
  /(\/[\w~./-]+)/.exec(warning)?.[1]?.replace(/[.:,]$/, '') ?? ''
