import { createHash } from 'node:crypto'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { refuse, requiredMissing } from '../refusals.ts'
import type { Rules } from '../rule.ts'
import { type Draft, str, type Writing } from '../writing.ts'

/** The kind of a file by its extension, as the service names it. */
const fileTypes: Readonly<Record<string, string>> = {
  csv: 'CSV',
  doc: 'WORD',
  docx: 'WORD_X',
  gif: 'GIF',
  htm: 'HTML',
  html: 'HTML',
  jpg: 'JPG',
  jpeg: 'JPG',
  json: 'JSON',
  pdf: 'PDF',
  png: 'PNG',
  ppt: 'POWER_POINT',
  pptx: 'POWER_POINT_X',
  txt: 'TEXT',
  xls: 'EXCEL',
  xlsx: 'EXCEL_X',
  xml: 'XML',
  zip: 'ZIP',
}

/** Each new version of a file is a record; the first one makes the file itself. */
export const contentVersion: Rules = {
  derive: ({ writing, before, draft, given }) => {
    if (before) {
      if (given.VersionData !== undefined)
        throw refuse(
          'INVALID_FIELD_FOR_INSERT_UPDATE',
          'The content of a version cannot be replaced: create a new version.',
          ['VersionData'],
        )
      return
    }
    const [data, path, link] = [
      str(draft, 'VersionData'),
      str(draft, 'PathOnClient'),
      str(draft, 'ContentUrl'),
    ]
    if (data === undefined && link === undefined) throw requiredMissing(['VersionData'])
    if (data !== undefined && path === undefined) throw requiredMissing(['PathOnClient'])
    const file = (path ?? link ?? '').replace(/^.*[\\/]/, '')
    const dot = file.lastIndexOf('.')
    const extension = dot > 0 ? file.slice(dot + 1).toLowerCase() : undefined
    const bytes = data === undefined ? undefined : Buffer.from(data, 'base64')
    const documentId = str(draft, 'ContentDocumentId')
    const earlier = documentId === undefined ? [] : versionsOf(writing, documentId)
    Object.assign(draft, {
      Title: draft.Title ?? (dot > 0 ? file.slice(0, dot) : file),
      FileExtension: extension ?? null,
      FileType: link === undefined ? (fileTypes[extension ?? ''] ?? 'UNKNOWN') : 'LINK',
      ContentSize: bytes?.length ?? 0,
      Checksum: bytes === undefined ? null : createHash('md5').update(bytes).digest('hex'),
      VersionNumber: String(earlier.length + 1),
      IsLatest: true,
      IsMajorVersion: true,
      PublishStatus: 'P',
      ContentModifiedDate: writing.stamp,
      ContentModifiedById: writing.userId,
    })
  },
  follow: ({ writing, before, after, given, save }) => {
    if (before) return
    const fields = documentFields(after)
    const known = str(after, 'ContentDocumentId')
    if (known !== undefined) {
      for (const other of versionsOf(writing, known))
        if (other.Id !== after.Id && other.IsLatest === true)
          writing.table('ContentVersion').update(String(other.Id), { IsLatest: false })
      const document = writing.table('ContentDocument').get(known)
      if (document) save.change('ContentDocument', document, fields)
      return
    }
    const documentId = save.insert('ContentDocument', { ...fields, OwnerId: after.OwnerId })
    writing.table('ContentVersion').update(String(after.Id), { ContentDocumentId: documentId })
    const place = str(given, 'FirstPublishLocationId')
    save.insert('ContentDocumentLink', {
      ContentDocumentId: documentId,
      LinkedEntityId: after.OwnerId,
      ShareType: 'I',
      Visibility: 'AllUsers',
    })
    if (place !== undefined && place !== after.OwnerId)
      save.insert('ContentDocumentLink', {
        ContentDocumentId: documentId,
        LinkedEntityId: place,
        ShareType: 'V',
        Visibility: 'AllUsers',
      })
  },
}

const versionsOf = (writing: Writing, documentId: string): Row[] => [
  ...writing.table('ContentVersion').find('ContentDocumentId', documentId),
]

const documentFields = (version: Row): Draft => ({
  Title: version.Title,
  Description: version.Description,
  FileType: version.FileType,
  FileExtension: version.FileExtension,
  ContentSize: version.ContentSize,
  ContentModifiedDate: version.ContentModifiedDate,
  LatestPublishedVersionId: version.Id,
  PublishStatus: 'P',
  SharingOption: version.SharingOption,
  SharingPrivacy: version.SharingPrivacy,
})

export const contentDocumentLink: Rules = {
  derive: ({ writing, before, draft }) => {
    if (before) return
    draft.ShareType ??= 'V'
    draft.Visibility ??= 'AllUsers'
    for (const other of writing
      .table('ContentDocumentLink')
      .find('LinkedEntityId', str(draft, 'LinkedEntityId') ?? ''))
      if (other.ContentDocumentId === draft.ContentDocumentId)
        throw refuse(
          'DUPLICATE_VALUE',
          `duplicate value found: <unknown> duplicates value on record with id: <unknown>`,
          [],
        )
  },
}
