import { refuse } from '../refusals.ts'
import type { Rules } from '../rule.ts'
import { str } from '../writing.ts'

/** An article begins as a draft; what is online or archived is changed by publishing a new version. */
export const knowledge: Rules = {
  guard: ({ before, given }) => {
    const published = before?.PublishStatus === 'Online' || before?.PublishStatus === 'Archived'
    if (published && given.PublishStatus === undefined)
      throw refuse('INSUFFICIENT_ACCESS_OR_READONLY', 'Only drafts of articles can be edited', [])
  },
  derive: ({ writing, before, draft }) => {
    const url = str(draft, 'UrlName') ?? ''
    if (!/^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/.test(url))
      throw refuse(
        'FIELD_INTEGRITY_EXCEPTION',
        'URL Name can contain only letters, digits and hyphens, and cannot begin or end with a hyphen.: URL Name',
        ['UrlName'],
      )
    for (const other of writing.table('Knowledge__kav').find('UrlName', url.toLowerCase()))
      if (other.Id !== before?.Id && other.KnowledgeArticleId !== before?.KnowledgeArticleId)
        throw refuse(
          'DUPLICATE_VALUE',
          `duplicate value found: UrlName duplicates value on record with id: ${String(other.Id).slice(0, 15)}`,
          ['UrlName'],
        )
    if (before) return
    Object.assign(draft, {
      ArticleNumber: String(1_000 + writing.call.sequence('number Knowledge')).padStart(9, '0'),
      ArticleType: 'Knowledge__kav',
      PublishStatus: 'Draft',
      VersionNumber: 0,
      IsLatestVersion: true,
      IsVisibleInApp: true,
    })
  },
  follow: ({ writing, before, after, save }) => {
    if (before) return
    const article = save.insert('KnowledgeArticle', {
      ArticleNumber: after.ArticleNumber,
      MasterLanguage: after.Language,
    })
    writing.table('Knowledge__kav').update(String(after.Id), { KnowledgeArticleId: article })
  },
}
