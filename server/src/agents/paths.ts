/** Rules for the paths of an agent's files, whether they come inline or in a bundle. */

const maxPathBytes = 1_024
const maxSegmentBytes = 255
const maxDepth = 64

/** Invisible characters, and those that turn the direction of text: a path must read as what it is. */
const deceptive = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\ufffd]/u

export type CheckedPath = { readonly path: string } | { readonly fault: string }

/** The path without `./` and trailing slashes, in one Unicode form; or what is wrong with it. */
export const checkPath = (raw: string): CheckedPath => {
  const fault = textFault(raw)
  if (fault) return { fault }
  if (raw.startsWith('/')) return { fault: 'is an absolute path' }
  const segments = raw
    .normalize('NFC')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
  if (segments.includes('..')) return { fault: 'leaves the folder by ..' }
  if (segments.length > maxDepth) return { fault: `is nested deeper than ${maxDepth} folders` }
  if (segments.some((segment) => Buffer.byteLength(segment) > maxSegmentBytes))
    return { fault: `has a name of more than ${maxSegmentBytes} bytes` }
  return { path: segments.join('/') }
}

/** What is wrong with the letters of a path or of a link's target. */
export const textFault = (raw: string): string | undefined => {
  if (raw === '') return 'is empty'
  if (Buffer.byteLength(raw) > maxPathBytes) return `is longer than ${maxPathBytes} bytes`
  if (!raw.isWellFormed() || deceptive.test(raw))
    return 'holds a character that is invisible, a control or not valid UTF-8'
  if (raw.includes('\\')) return 'holds a backslash'
  if (/^[A-Za-z]:/.test(raw)) return 'starts with a drive letter'
  // Signs that some systems fold into dots, slashes or backslashes.
  const folded = raw.normalize('NFKC')
  if (count(folded, /[./\\]/g) !== count(raw, /[./\\]/g))
    return 'holds a character that is equivalent to a dot or a slash'
  return undefined
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/** Paths that would be one file where letters are folded. */
export const sameFile = (path: string): string => path.normalize('NFKC')

const maxFiles = 200
const maxFilesBytes = 1_048_576

/** Every fault of files sent inline, by path. */
export const inlineFaults = (
  files: Readonly<Record<string, string>>,
): { path: string; message: string }[] => {
  const faults: { path: string; message: string }[] = []
  const seen = new Set<string>()
  let bytes = 0
  for (const [raw, text] of Object.entries(files)) {
    bytes += Buffer.byteLength(text)
    const checked = checkPath(raw)
    if ('fault' in checked) faults.push({ path: raw, message: checked.fault })
    else if (checked.path !== raw)
      faults.push({ path: raw, message: `should be written ${checked.path || 'as a file'}` })
    else if (seen.has(sameFile(raw))) faults.push({ path: raw, message: 'is the same file as another one' })
    else if (insideOther(raw, files)) faults.push({ path: raw, message: 'lies below another file' })
    seen.add(sameFile(raw))
  }
  const number = Object.keys(files).length
  if (number > maxFiles)
    faults.push({ path: '', message: `holds ${number} files; send more than ${maxFiles} as a bundle` })
  if (bytes > maxFilesBytes)
    faults.push({ path: '', message: `holds ${bytes} bytes; send more than ${maxFilesBytes} as a bundle` })
  return faults.slice(0, 100)
}

const insideOther = (path: string, files: Readonly<Record<string, string>>): boolean => {
  const segments = path.split('/')
  return segments.some((_, depth) => depth > 0 && Object.hasOwn(files, segments.slice(0, depth).join('/')))
}
