/** The browser that tests should drive, or nothing. */
export const findBrowser: () => string | undefined
