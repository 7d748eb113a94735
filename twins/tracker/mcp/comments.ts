import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { type McpTool, mcpTool } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import type { TrackerTables } from '../tables.ts'
import { type Context, graph, issueId, listFiltered, type Node, page, projectId } from './graph.ts'

const text = z.string()
const fields = 'id body createdAt updatedAt parentId resolvedAt quotedText user { id name }'

const shape = ({ user, ...comment }: Node) => ({ ...comment, author: user })

const parents = {
  issueId: text.describe('Id or identifier').optional(),
  projectId: text.describe('Name, id or slug').optional(),
  documentId: text.describe('Id or slug').optional(),
  statusUpdateId: text.optional(),
  statusUpdateType: z.enum(['project']).optional(),
}
type Parents = { readonly [K in keyof typeof parents]?: string | undefined }

/** The one thing that the comments belong to, as the native filter and as the native input. */
const parentOf = (context: Context, args: Parents): { filter: object; input: object } => {
  const given = [args.issueId, args.projectId, args.documentId, args.statusUpdateId].filter(
    (id) => id !== undefined,
  )
  if (given.length !== 1)
    throw new VendorError(
      'INPUT_ERROR',
      'Exactly one of issueId, projectId, documentId or statusUpdateId must be given.',
    )
  if (args.statusUpdateType !== undefined && args.statusUpdateId === undefined)
    throw new VendorError('INPUT_ERROR', 'statusUpdateType is only taken with statusUpdateId.')
  if (args.issueId !== undefined) {
    const id = issueId(context, args.issueId)
    return { filter: { issue: { id: { eq: id } } }, input: { issueId: id } }
  }
  if (args.projectId !== undefined) {
    const id = projectId(context, args.projectId)
    return { filter: { project: { id: { eq: id } } }, input: { projectId: id } }
  }
  if (args.documentId !== undefined) {
    const { document } = graph(context, 'query ($id: String!) { document(id: $id) { documentContentId } }', {
      id: args.documentId,
    })
    const id = document.documentContentId
    return { filter: { documentContent: { id: { eq: id } } }, input: { documentContentId: id } }
  }
  const id = args.statusUpdateId
  return { filter: { projectUpdate: { id: { eq: id } } }, input: { projectUpdateId: id } }
}

const Save = z.strictObject({
  id: text.describe('Given to change a comment').optional(),
  ...parents,
  parentId: text.describe('The comment that this one replies to').optional(),
  body: text.describe('Markdown'),
})

const save = (context: Context, { id, parentId, body, ...parent }: z.output<typeof Save>) => {
  if (id !== undefined) {
    const { commentUpdate } = graph(
      context,
      `mutation ($id: String!, $input: CommentUpdateInput!) {
        commentUpdate(id: $id, input: $input) { comment { ${fields} } } }`,
      { id, input: { body } },
    )
    return shape(commentUpdate.comment)
  }
  const input = parentId === undefined ? parentOf(context, parent).input : replyTo(context, parentId)
  const { commentCreate } = graph(
    context,
    `mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { comment { ${fields} } } }`,
    { input: { ...input, body } },
  )
  return shape(commentCreate.comment)
}

/** A reply belongs to what its parent belongs to. */
const replyTo = (context: Context, parentId: string): object => {
  const { comment } = graph(
    context,
    `query ($id: String!) { comment(id: $id) { issueId projectId documentContentId projectUpdateId } }`,
    { id: parentId },
  )
  const held = Object.entries(comment).filter(([, id]) => id !== null)
  return { ...Object.fromEntries(held), parentId }
}

const initiatives = 'comments of initiatives and milestones'

export const commentTools: readonly McpTool<TrackerTables>[] = [
  mcpTool({
    name: 'list_comments',
    description: 'Lists the comments of an issue, project, document or status update.',
    effect: 'read',
    input: z.strictObject({ ...page(), ...parents }),
    missing: initiatives,
    evidence: 'documented',
    run: (context, args) => {
      return listFiltered(context, {
        as: 'comments',
        args,
        connection: 'comments',
        filterType: 'CommentFilter',
        fields: fields,
        filter: parentOf(context, args).filter,
        shape: shape,
      })
    },
  }),
  mcpTool({
    name: 'save_comment',
    description: 'Comments on an issue, project, document or status update, or changes a comment.',
    effect: 'write',
    input: Save,
    missing: initiatives,
    run: save,
  }),
  mcpTool({
    name: 'create_comment',
    description: 'Comments on an issue.',
    effect: 'write',
    unlisted: true,
    input: z.strictObject({ issueId: text, body: text, parentId: text.optional() }),
    run: (context, args) => save(context, args),
  }),
  mcpTool({
    name: 'delete_comment',
    description: 'Deletes a comment.',
    effect: 'write',
    destructive: true,
    evidence: 'documented',
    input: z.strictObject({ id: text }),
    run: (context, { id }) =>
      graph(context, 'mutation ($id: String!) { commentDelete(id: $id) { success } }', { id }).commentDelete,
  }),
]
