import { addressOf } from '../../api.ts'

type Source = { readonly worldId: string } | { readonly twinId: string }

/** Where new requests to a world, or to a twin of no world, are streamed. */
export const streamAddress = (
  source: Source,
  query: Readonly<Record<string, string | boolean | undefined>>,
): string =>
  'worldId' in source
    ? addressOf('/v1/builder/worlds/{worldId}/activity/stream', { worldId: source.worldId }, query)
    : addressOf('/v1/twins/{twinId}/activity/stream', { twinId: source.twinId }, query)
