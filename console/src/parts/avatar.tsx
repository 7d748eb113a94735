import { initials } from '../words.ts'

/** A person's initials. The name stands beside it. */
export const Avatar = ({ name }: { name: string }) => (
  <span className="avatar" aria-hidden="true">
    {initials(name)}
  </span>
)
