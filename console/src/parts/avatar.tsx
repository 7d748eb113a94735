import { initials } from '../words.ts'

/** A person's initials. The name is next to it. */
export const Avatar = ({ name }: { name: string }) => (
  <span className="avatar" aria-hidden="true">
    {initials(name)}
  </span>
)
