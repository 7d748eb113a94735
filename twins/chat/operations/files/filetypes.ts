import { lookup } from '../../values/records.ts'
/** What the service calls a kind of file: its type, its name for people and its media type. */
export interface FileKind {
  readonly filetype: string
  readonly pretty: string
  readonly mimetype: string
  readonly isText: boolean
}

const kind = (filetype: string, pretty: string, mimetype: string, isText = false): FileKind => ({
  filetype,
  pretty,
  mimetype,
  isText,
})

const kinds: Readonly<Record<string, FileKind>> = {
  txt: kind('text', 'Plain Text', 'text/plain', true),
  text: kind('text', 'Plain Text', 'text/plain', true),
  log: kind('text', 'Plain Text', 'text/plain', true),
  md: kind('markdown', 'Markdown (raw)', 'text/plain', true),
  csv: kind('csv', 'CSV', 'text/csv', true),
  json: kind('json', 'JSON', 'text/plain', true),
  yaml: kind('yaml', 'YAML', 'text/plain', true),
  yml: kind('yaml', 'YAML', 'text/plain', true),
  html: kind('html', 'HTML', 'text/plain', true),
  xml: kind('xml', 'XML', 'text/plain', true),
  sql: kind('sql', 'SQL', 'text/plain', true),
  py: kind('python', 'Python', 'text/plain', true),
  js: kind('javascript', 'JavaScript/JSON', 'text/plain', true),
  ts: kind('typescript', 'TypeScript', 'text/plain', true),
  sh: kind('shell', 'Shell', 'text/plain', true),
  pdf: kind('pdf', 'PDF', 'application/pdf'),
  png: kind('png', 'PNG', 'image/png'),
  jpg: kind('jpg', 'JPEG', 'image/jpeg'),
  jpeg: kind('jpg', 'JPEG', 'image/jpeg'),
  gif: kind('gif', 'GIF', 'image/gif'),
  svg: kind('svg', 'SVG', 'image/svg+xml'),
  webp: kind('webp', 'WebP', 'image/webp'),
  mp3: kind('mp3', 'MP3', 'audio/mpeg'),
  mp4: kind('mp4', 'MPEG 4 Video', 'video/mp4'),
  zip: kind('zip', 'Zip', 'application/zip'),
  gz: kind('gzip', 'Gzip', 'application/gzip'),
  doc: kind('doc', 'Word Document', 'application/msword'),
  docx: kind(
    'docx',
    'Word Document',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ),
  xls: kind('xls', 'Excel Spreadsheet', 'application/vnd.ms-excel'),
  xlsx: kind(
    'xlsx',
    'Excel Spreadsheet',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ),
  ppt: kind('ppt', 'PowerPoint Presentation', 'application/vnd.ms-powerpoint'),
  pptx: kind(
    'pptx',
    'PowerPoint Presentation',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ),
}

const unknown = kind('binary', 'Binary', 'application/octet-stream')

export const kindOfFile = (name: string): FileKind =>
  lookup(kinds, /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '') ?? unknown

export const kindOfSnippet = (type: string): FileKind | undefined =>
  Object.values(kinds).find(({ filetype, isText }) => isText && filetype === type)

/** The groups by which files are listed, such as `images`. */
export const isOfType = (
  type: string,
  file: { filetype: string; mode: string; mimetype: string },
): boolean => {
  if (type === 'all') return true
  if (type === 'spaces') return file.mode === 'quip'
  if (type === 'snippets') return file.mode === 'snippet'
  if (type === 'images') return file.mimetype.startsWith('image/')
  if (type === 'zips') return file.filetype === 'zip' || file.filetype === 'gzip'
  if (type === 'pdfs') return file.filetype === 'pdf'
  return false
}

export const fileTypes = ['all', 'spaces', 'snippets', 'images', 'gdocs', 'zips', 'pdfs']
