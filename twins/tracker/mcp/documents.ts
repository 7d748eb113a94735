import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { type McpTool, mcpTool } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import type { TrackerTables } from '../tables.ts'
import {
  archived,
  type Context,
  graph,
  issueId,
  listFiltered,
  type Node,
  page,
  present,
  projectId,
  since,
  teamId,
  userId,
} from './graph.ts'

const text = z.string()
const after = (at: string | undefined) => (at === undefined ? undefined : { gt: at })
const is = (id: string) => ({ id: { eq: id } })

const fields = `id title content icon color slugId url createdAt updatedAt archivedAt creator { id name }
  project { id name } issue { identifier }`
const listFields = fields.replace('content ', '')
const shape = ({ issue, ...document }: Node) => ({ ...document, ...present({ issue: issue?.identifier }) })

const Save = z.strictObject({
  id: text.describe('Given to change a document; id or slug').optional(),
  title: text.optional(),
  content: text.describe('Markdown').optional(),
  project: text.optional(),
  issue: text.optional(),
  team: text.optional(),
  icon: text.optional(),
  color: text.optional(),
})

const save = (context: Context, { id, project, issue, team, ...plain }: z.output<typeof Save>) => {
  const parent = present({
    projectId: project === undefined ? undefined : projectId(context, project),
    issueId: issue === undefined ? undefined : issueId(context, issue),
    teamId: team === undefined ? undefined : teamId(context, team),
  })
  const input = { ...present(plain), ...parent }
  if (id !== undefined)
    return shape(
      graph(
        context,
        `mutation ($id: String!, $input: DocumentUpdateInput!) {
          documentUpdate(id: $id, input: $input) { document { ${fields} } } }`,
        { id, input },
      ).documentUpdate.document,
    )
  if (plain.title === undefined || Object.keys(parent).length !== 1)
    throw new VendorError(
      'INPUT_ERROR',
      'A new document needs title and exactly one of project, issue or team.',
    )
  return shape(
    graph(
      context,
      `mutation ($input: DocumentCreateInput!) { documentCreate(input: $input) { document { ${fields} } } }`,
      { input },
    ).documentCreate.document,
  )
}

const documentTools: readonly McpTool<TrackerTables>[] = [
  mcpTool({
    name: 'list_documents',
    description: 'Lists the documents of the workspace.',
    effect: 'read',
    evidence: 'chosen',
    missing: 'initiatives',
    input: z.strictObject({
      ...page(),
      query: text.optional(),
      projectId: text.optional(),
      creatorId: text.optional(),
      createdAt: since,
      updatedAt: since,
      includeArchived: archived(false),
    }),
    run: (context, args) => {
      const filter = present({
        title: args.query === undefined ? undefined : { containsIgnoreCase: args.query },
        project: args.projectId === undefined ? undefined : is(projectId(context, args.projectId)),
        creator: args.creatorId === undefined ? undefined : is(userId(context, args.creatorId)),
        createdAt: after(args.createdAt),
        updatedAt: after(args.updatedAt),
      })
      return listFiltered(context, {
        as: 'documents',
        args,
        connection: 'documents',
        filterType: 'DocumentFilter',
        fields: listFields,
        filter,
        includeArchived: args.includeArchived,
        shape: shape,
      })
    },
  }),
  mcpTool({
    name: 'get_document',
    description: 'Reads a document.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ id: text.describe('Id or slug') }),
    run: (context, { id }) =>
      shape(graph(context, `query ($id: String!) { document(id: $id) { ${fields} } }`, { id }).document),
  }),
  mcpTool({
    name: 'save_document',
    description: 'Creates a document, or changes one when id is given.',
    effect: 'write',
    evidence: 'documented',
    missing: 'documents of initiatives and cycles',
    input: Save,
    run: save,
  }),
]

const attachmentFields = 'id title subtitle url createdAt updatedAt'

const attachmentTools: readonly McpTool<TrackerTables>[] = [
  mcpTool({
    name: 'get_attachment',
    description: 'Reads an attachment.',
    effect: 'read',
    evidence: 'chosen',
    missing: 'the content of uploaded files; its address is given',
    input: z.strictObject({ id: text }),
    run: (context, { id }) =>
      graph(context, `query ($id: String!) { attachment(id: $id) { ${attachmentFields} } }`, { id })
        .attachment,
  }),
  mcpTool({
    name: 'prepare_attachment_upload',
    description: 'First step of an upload: where the bytes are put, with which headers.',
    effect: 'write',
    missing: 'the address does not expire',
    input: z.strictObject({
      issue: text.describe('Id or identifier'),
      filename: text,
      contentType: text,
      size: z.int().min(1),
      title: text.optional(),
      subtitle: text.optional(),
    }),
    run: (context, { issue, filename, contentType, size }) => {
      issueId(context, issue)
      const { fileUpload } = graph(
        context,
        `mutation ($filename: String!, $contentType: String!, $size: Int!) {
          fileUpload(filename: $filename, contentType: $contentType, size: $size) {
            uploadFile { assetUrl uploadUrl headers { key value } } } }`,
        { filename, contentType, size },
      )
      const { assetUrl, uploadUrl, headers } = fileUpload.uploadFile
      return {
        assetUrl,
        uploadRequest: {
          url: uploadUrl,
          headers: Object.fromEntries(headers.map(({ key, value }: Node) => [key, value])),
        },
      }
    },
  }),
  mcpTool({
    name: 'create_attachment_from_upload',
    description: 'Second step of an upload: links the file to an issue.',
    effect: 'write',
    evidence: 'chosen',
    input: z.strictObject({
      issue: text,
      assetUrl: z.url(),
      title: text.optional(),
      subtitle: text.optional(),
    }),
    run: (context, { issue, assetUrl, title, subtitle }) => {
      const { attachmentCreate } = graph(
        context,
        `mutation ($input: AttachmentCreateInput!) {
          attachmentCreate(input: $input) { attachment { ${attachmentFields} } } }`,
        {
          input: {
            issueId: issueId(context, issue),
            url: assetUrl,
            title: title ?? assetUrl,
            ...present({ subtitle }),
          },
        },
      )
      return attachmentCreate.attachment
    },
  }),
  mcpTool({
    name: 'delete_attachment',
    description: 'Deletes an attachment.',
    effect: 'write',
    destructive: true,
    evidence: 'chosen',
    input: z.strictObject({ id: text }),
    run: (context, { id }) =>
      graph(context, 'mutation ($id: String!) { attachmentDelete(id: $id) { success } }', { id })
        .attachmentDelete,
  }),
]

const updateFields = 'id body health url createdAt updatedAt user { id name } project { id name }'
const projectUpdate = z.enum(['project'])

const updateTools: readonly McpTool<TrackerTables>[] = [
  mcpTool({
    name: 'get_status_updates',
    description: 'Lists status updates of projects, or reads one by its id.',
    effect: 'read',
    evidence: 'chosen',
    missing: 'status updates of initiatives',
    input: z.strictObject({
      ...page(),
      type: projectUpdate,
      id: text.optional(),
      project: text.optional(),
      user: text.optional(),
      createdAt: since,
      updatedAt: since,
      includeArchived: archived(false),
    }),
    run: (context, args) => {
      if (args.id !== undefined)
        return graph(context, `query ($id: String!) { projectUpdate(id: $id) { ${updateFields} } }`, {
          id: args.id,
        }).projectUpdate
      const filter = present({
        project: args.project === undefined ? undefined : is(projectId(context, args.project)),
        user: args.user === undefined ? undefined : is(userId(context, args.user)),
        createdAt: after(args.createdAt),
        updatedAt: after(args.updatedAt),
      })
      return listFiltered(context, {
        as: 'statusUpdates',
        args,
        connection: 'projectUpdates',
        filterType: 'ProjectUpdateFilter',
        fields: updateFields,
        filter,
        includeArchived: args.includeArchived,
        shape: (node) => node,
      })
    },
  }),
  mcpTool({
    name: 'save_status_update',
    description: 'Writes a status update of a project, or changes one when id is given.',
    effect: 'write',
    evidence: 'chosen',
    missing: 'status updates of initiatives',
    input: z.strictObject({
      type: projectUpdate,
      id: text.optional(),
      project: text.optional(),
      body: text.optional(),
      health: z.enum(['onTrack', 'atRisk', 'offTrack']).optional(),
      isDiffHidden: z.boolean().optional(),
    }),
    run: (context, { type: _type, id, project, ...given }) => {
      const input = present(given)
      if (id !== undefined)
        return graph(
          context,
          `mutation ($id: String!, $input: ProjectUpdateUpdateInput!) {
            projectUpdateUpdate(id: $id, input: $input) { projectUpdate { ${updateFields} } } }`,
          { id, input },
        ).projectUpdateUpdate.projectUpdate
      if (project === undefined)
        throw new VendorError('INPUT_ERROR', 'project is required for a new status update.')
      return graph(
        context,
        `mutation ($input: ProjectUpdateCreateInput!) {
          projectUpdateCreate(input: $input) { projectUpdate { ${updateFields} } } }`,
        { input: { ...input, projectId: projectId(context, project) } },
      ).projectUpdateCreate.projectUpdate
    },
  }),
  mcpTool({
    name: 'delete_status_update',
    description: 'Archives a status update.',
    effect: 'write',
    destructive: true,
    evidence: 'documented',
    missing: 'status updates of initiatives',
    input: z.strictObject({ type: projectUpdate, id: text }),
    run: (context, { id }) =>
      graph(context, 'mutation ($id: String!) { projectUpdateArchive(id: $id) { success } }', { id })
        .projectUpdateArchive,
  }),
]

export const contentTools: readonly McpTool<TrackerTables>[] = [
  ...documentTools,
  ...attachmentTools,
  ...updateTools,
]
