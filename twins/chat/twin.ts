import type { Fault, Twin, TwinReply } from '@diorama/twin-kit/kernel/twin'
import { withMcp } from '@diorama/twin-kit/wires/mcp/serve'
import { makeToken } from './actor.ts'
import { readSettings, writeSettings } from './apps/app.ts'
import { channels } from './apps/channels.ts'
import { emitEvents } from './apps/events.ts'
import { interact } from './apps/interact.ts'
import { socketRules } from './apps/socket-mode.ts'
import { clients } from './clients.ts'
import { coverage } from './coverage.ts'
import { exportZip } from './dataset/export-zip.ts'
import { chatIntake } from './dataset/intake.ts'
import { personal } from './dataset/personal.ts'
import { tableDump } from './dataset/table-dump.ts'
import { chat as manifest } from './manifest.ts'
import { face } from './mcp/face.ts'
import { acts } from './moving/acts.ts'
import { due, nextDue } from './moving/due.ts'
import { notices } from './moving/notices.ts'
import { operations } from './operations/index.ts'
import { names, present } from './present.ts'
import type { ChatSection } from './section.ts'
import { seedChat } from './seed.ts'
import { type ChatTables, tables } from './tables.ts'
import { nativeJson } from './wire/native.ts'
import { wire } from './wire.ts'

/** Only limits and absence are reported by status; any other failure is an answer, or clients would retry it for long. */
const fault = (fault: Fault): TwinReply => {
  const answer = (status: number, error: string, headers: Record<string, string> = {}): TwinReply => ({
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-slack-failure': error,
      ...headers,
    },
    body: nativeJson({ ok: false, error }),
  })
  switch (fault.kind) {
    case 'unauthorized':
      return answer(200, 'invalid_auth')
    case 'not_found':
      return answer(200, 'unknown_method')
    case 'too_large':
      return answer(200, 'invalid_form_data')
    case 'internal':
      return answer(200, 'internal_error')
    case 'rate_limited':
      return answer(429, 'ratelimited', {
        'retry-after': String(Math.max(1, Math.ceil(fault.retryAfterSeconds))),
      })
    case 'unavailable':
      return answer(503, 'service_unavailable', {
        'retry-after': String(Math.max(1, Math.ceil(fault.retryAfterSeconds))),
      })
  }
}

const native: Twin<ChatSection, ChatTables> = {
  ...manifest,
  clients,
  tables,
  seed: seedChat,
  operations,
  coverage,
  token: makeToken,
  identities: (views) =>
    [...views.user.find('all', 'all')]
      .filter(({ subject }) => subject !== '')
      .map(({ subject, id, real_name, profile }) => ({
        subject,
        nativeId: id,
        name: real_name,
        email: profile.email ?? '',
      })),
  wire,
  fault,
  due,
  nextDue,
  acts,
  notices,
  dataset: { intake: chatIntake, readers: [exportZip, tableDump], personal },
  afterStep: emitEvents,
  channels,
  sockets: socketRules,
  controls: { readSettings, writeSettings, interact },
  present,
  names,
}

export const chat = withMcp(native, face)
