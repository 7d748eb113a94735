/** Each is linear in the code: a repetition never starts again inside what another one has already passed. */
const exportsHandler =
  /\bexport\s+(?:default\b|(?:async\s+)?function\b\*?\s*handler\b|(?:const|let|var)\s+handler\b)/
const declaresHandler = /^[ \t]*(?:(?:async[ \t]+)?function[ \t]+handler\b|(?:const|let|var)[ \t]+handler\b)/m
const exportList = /\bexport\s*\{/g

/** A handler that was written as a plain function is as good as an exported one. */
export const withExportedHandler = (code: string): string =>
  !exportsHandler.test(code) && !listsHandler(code) && declaresHandler.test(code)
    ? `${code}\nexport { handler }\n`
    : code

/** Whether a list such as `export { other as handler }` names it; each list is read once, up to its own end. */
const listsHandler = (code: string): boolean => {
  const pattern = new RegExp(exportList)
  while (pattern.exec(code)) {
    const end = code.indexOf('}', pattern.lastIndex)
    if (end < 0) return false
    if (/\bhandler\b/.test(code.slice(pattern.lastIndex, end))) return true
    pattern.lastIndex = end + 1
  }
  return false
}
