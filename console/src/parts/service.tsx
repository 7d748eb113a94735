import kinds from 'virtual:kinds'
import { Drawing } from './icon.tsx'

/** Tints that follow each other in the list of kinds. */
const tints = 6
const plainIcon = 'M4 2.500h5l3 3v8H4z M9 2.500v3h3'

/** What is known of a service, also of one that this console was not built with. */
export const kindOf = (service: string) => kinds.find(({ kind }) => kind === service)
export const serviceName = (service: string): string => kindOf(service)?.label ?? service

/** The glyph of a service, with its tint. */
export const ServiceGlyph = ({ service, named = false }: { service: string; named?: boolean }) => {
  const name = serviceName(service)
  const place = kinds.findIndex(({ kind }) => kind === service)
  const path = kindOf(service)?.icon ?? plainIcon
  return (
    <span className={place === -1 ? 'glyph' : `glyph glyph-tint-${place % tints}`}>
      {named ? <Drawing path={path} size={14} /> : <Drawing path={path} size={14} label={name} />}
      {named ? <span>{name}</span> : null}
    </span>
  )
}
