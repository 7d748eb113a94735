import { z } from 'zod'

/** What callers send with each operation. */
export const Write = z.object({ text: z.string().min(1) })
export type Write = z.infer<typeof Write>

export const Edit = z.object({ id: z.string(), text: z.string().min(1) })
export type Edit = z.infer<typeof Edit>

export const Id = z.object({ id: z.string() })
export type Id = z.infer<typeof Id>

export const Remind = z.object({ text: z.string().min(1), at: z.number() })
export type Remind = z.infer<typeof Remind>
