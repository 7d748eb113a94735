import { z } from 'zod'
import { Timestamp } from './pages.ts'

/** The package managers whose lock files the service installs from. */
export const packageManagers = ['npm', 'pip'] as const
export type PackageManager = (typeof packageManagers)[number]

export const AgentDependencies = z
  .array(z.enum(packageManagers))
  .min(1)
  .max(packageManagers.length)
  .refine((managers) => new Set(managers).size === managers.length, 'names a package manager twice')

export const InstalledDependencies = z
  .object({
    status: z.enum(['queued', 'installing', 'ready', 'failed']).meta({
      description:
        'Trials of the version wait for an installation that is queued or under way. Register the version again to retry a failed one.',
    }),
    error: z.string().nullable().meta({ description: 'Why it failed.' }),
    log: z.string().meta({ description: 'The end of what the package managers printed.' }),
    lock_sha256: z.string().meta({
      description: 'The digest of the lock files: versions with the same ones share an installation.',
    }),
    platform: z.string().nullable().meta({
      description: 'What it was installed for: system, processor and interpreters. Null while it is queued.',
    }),
    size: z.int().nullable().meta({ description: 'Bytes of the packed packages, when they are ready.' }),
    updated_at: Timestamp,
  })
  .meta({ id: 'InstalledDependencies' })
export type InstalledDependencies = z.infer<typeof InstalledDependencies>
