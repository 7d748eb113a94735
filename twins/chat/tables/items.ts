import { table } from '@diorama/twin-kit/kernel/table'
import { z } from 'zod'

const Json = z.record(z.string(), z.unknown())

interface PinRow {
  readonly channel: string
  readonly created: number
}
interface BookmarkRow {
  readonly channel_id: string
  readonly rank: string
}
interface UsergroupRow {
  readonly handle: string
  readonly date_create: number
}
interface ScheduledRow {
  readonly user: string
  readonly post_at: number
}
interface ReminderRow {
  readonly user: string
  readonly time: number
  readonly complete_ts: number
  readonly reminded: boolean
}
interface StarRow {
  readonly user: string
  readonly date_create: number
}
interface ViewRow {
  readonly user: string
  readonly external_id: string
  readonly view: Readonly<Record<string, unknown>>
}
interface CallRow {
  readonly external_unique_id: string
}
interface ListItemRow {
  readonly id: string
  readonly list_id: string
  readonly parent_item_id?: string | undefined
}

/** What hangs on channels, messages and people. */
export const itemTables = {
  pin: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      channel: z.string(),
      ts: z.string(),
      created: z.number(),
      created_by: z.string(),
    }),
    indexes: { channel: { by: (row: PinRow) => row.channel, order: (row: PinRow) => row.created } },
  }),
  bookmark: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      channel_id: z.string(),
      title: z.string(),
      link: z.string(),
      emoji: z.string(),
      type: z.string(),
      entity_id: z.string().optional(),
      parent_id: z.string().optional(),
      date_created: z.number(),
      date_updated: z.number(),
      rank: z.string(),
      last_updated_by_user_id: z.string(),
      app_id: z.string().optional(),
    }),
    indexes: {
      channel: { by: (row: BookmarkRow) => row.channel_id, order: (row: BookmarkRow) => row.rank },
    },
  }),
  usergroup: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      name: z.string(),
      handle: z.string(),
      description: z.string(),
      users: z.array(z.string()),
      channels: z.array(z.string()),
      date_create: z.number(),
      date_update: z.number(),
      date_delete: z.number(),
      created_by: z.string(),
      updated_by: z.string(),
      deleted_by: z.string().optional(),
    }),
    indexes: {
      all: { by: () => 'all', order: (row: UsergroupRow) => row.date_create },
      handle: { by: (row: UsergroupRow) => row.handle },
    },
  }),
  scheduled_message: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      channel: z.string(),
      user: z.string(),
      post_at: z.number(),
      date_created: z.number(),
      text: z.string(),
      blocks: z.array(Json).optional(),
      attachments: z.array(Json).optional(),
      metadata: Json.optional(),
      thread_ts: z.string().optional(),
      reply_broadcast: z.boolean(),
    }),
    indexes: {
      due: { by: () => 'due', order: (row: ScheduledRow) => row.post_at },
      user: { by: (row: ScheduledRow) => row.user, order: (row: ScheduledRow) => row.post_at },
    },
  }),
  ephemeral_message: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      channel: z.string(),
      ts: z.string(),
      user: z.string(),
      to: z.string(),
      text: z.string(),
      thread_ts: z.string().optional(),
      blocks: z.array(Json).optional(),
      attachments: z.array(Json).optional(),
    }),
  }),
  reminder: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      creator: z.string(),
      user: z.string(),
      text: z.string(),
      recurring: z.boolean(),
      recurrence: z
        .strictObject({ frequency: z.enum(['daily', 'weekly']), weekdays: z.array(z.number()).optional() })
        .optional(),
      time: z.number(),
      complete_ts: z.number(),
      reminded: z.boolean(),
    }),
    indexes: {
      user: { by: (row: ReminderRow) => row.user, order: (row: ReminderRow) => row.time },
      due: {
        by: (row: ReminderRow) => (row.reminded || row.complete_ts > 0 ? undefined : 'due'),
        order: (row: ReminderRow) => row.time,
      },
    },
  }),
  star: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      user: z.string(),
      type: z.enum(['message', 'file', 'channel']),
      channel: z.string().optional(),
      ts: z.string().optional(),
      file: z.string().optional(),
      date_create: z.number(),
    }),
    indexes: { user: { by: (row: StarRow) => row.user, order: (row: StarRow) => row.date_create } },
  }),
  dnd: table({ key: 'id', row: z.strictObject({ id: z.string(), snooze_endtime: z.number() }) }),
  view: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      user: z.string(),
      hash: z.string(),
      external_id: z.string(),
      view: Json,
      /** Of a view that was pushed onto another: the first of the stack, and the one below. */
      root: z.string().optional(),
      previous: z.string().optional(),
      /** What a submission was refused with, by block. */
      errors: z.record(z.string(), z.string()).optional(),
    }),
    indexes: {
      home: { by: (row: ViewRow) => (row.view.type === 'home' ? row.user : undefined) },
      external: { by: (row: ViewRow) => (row.external_id === '' ? undefined : row.external_id) },
    },
  }),
  assistant_thread: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      channel: z.string(),
      thread_ts: z.string(),
      title: z.string(),
      status: z.string(),
      prompts: z.array(Json),
    }),
  }),
  canvas: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      title: z.string(),
      channel: z.string().optional(),
      creator: z.string(),
      markdown: z.string(),
      sections: z.array(z.strictObject({ id: z.string(), type: z.string(), markdown: z.string() })),
      access: z.record(z.string(), z.string()),
      created: z.number(),
      updated: z.number(),
    }),
    indexes: { channel: { by: (row: { channel?: string }) => row.channel } },
  }),
  list: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      name: z.string(),
      creator: z.string(),
      description_blocks: z.array(Json),
      todo_mode: z.boolean(),
      schema: z.array(Json),
      access: z.record(z.string(), z.string()),
      created: z.number(),
      updated: z.number(),
    }),
  }),
  list_item: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      list_id: z.string(),
      parent_item_id: z.string().optional(),
      created_by: z.string(),
      updated_by: z.string(),
      date_created: z.number(),
      updated_timestamp: z.number(),
      archived: z.boolean(),
      fields: z.array(Json),
    }),
    indexes: {
      list: { by: (row: ListItemRow) => row.list_id, order: (row: ListItemRow) => row.id },
      parent: { by: (row: ListItemRow) => row.parent_item_id },
    },
  }),
  call: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      external_unique_id: z.string(),
      external_display_id: z.string(),
      join_url: z.string(),
      desktop_app_join_url: z.string(),
      title: z.string(),
      date_start: z.number(),
      date_end: z.number(),
      created_by: z.string(),
      users: z.array(Json),
      channels: z.array(z.string()),
    }),
    indexes: { external: { by: (row: CallRow) => row.external_unique_id } },
  }),
  connect_invite: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      channel: z.string(),
      user: z.string(),
      email: z.string().optional(),
      recipient: z.string().optional(),
      is_limited: z.boolean(),
      status: z.enum(['sent', 'declined']),
      created: z.number(),
      updated: z.number(),
    }),
  }),
  /** Tokens that were revoked, by the subject they act as. */
  revoked_token: table({ key: 'subject', row: z.strictObject({ subject: z.string() }), internal: true }),
}
