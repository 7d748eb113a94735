/** What the view of a twin (`twins/<kind>/view/view.tsx`) may use of the console. */
export type { TwinInstanceRecord } from '@diorama/contract'
export { markHeaders } from './src/api.ts'
export { useAsk } from './src/ask.ts'
export { Avatar } from './src/parts/avatar.tsx'
export { Chip } from './src/parts/field.tsx'
export { Icon } from './src/parts/icon.tsx'
export { Inspector } from './src/parts/inspector.tsx'
export { useListKeys } from './src/parts/lists/list-keys.ts'
export { useNear } from './src/parts/lists/near.tsx'
export { Table } from './src/parts/lists/table.tsx'
export { StoryMoment } from './src/parts/moment.tsx'
export { Answered, Empty, Failure } from './src/parts/states.tsx'
export { useEmoji } from './src/parts/text/emoji.ts'
export { Markdown } from './src/parts/text/markdown.ts'
export { saveFile } from './src/save-file.ts'
export { useAddress } from './src/search.ts'
export { byteSize, count, exactly, money, plural, storyDay, storyMinute, text } from './src/words.ts'
export { type EditedField, EditFields, useDoing, WriteBox } from './src/worlds/acting/act-forms.tsx'
export { type Acting, type NativeReply, useActing } from './src/worlds/acting/acting.ts'
export {
  type LiveRecords as LiveWorld,
  type Row,
  type StateItem,
  useCollection,
} from './src/worlds/live-world.ts'
export { ChangeInspector, ChangeMark, changeClass } from './src/worlds/records/change-mark.tsx'
export { RecordInspector } from './src/worlds/records/record-inspector.tsx'
export { amount, type Column, column, Details, RecordTable } from './src/worlds/records/record-table.tsx'
export { Value } from './src/worlds/records/references.tsx'
export { Unread } from './src/worlds/records/unread.tsx'

import type { TwinInstanceRecord } from '@diorama/contract'
import type { LiveRecords } from './src/worlds/live-world.ts'

/** What a view is given: the world it is part of, and the twin whose records it shows. */
export interface ViewProps {
  readonly live: LiveRecords
  readonly twin: TwinInstanceRecord
}
