import { Link } from '@tanstack/react-router'
import { Empty } from '../parts/states.tsx'

export const Lost = () => (
  <Empty title="There is no such page.">
    <p>
      Go to <Link to="/worlds">the worlds</Link>, or press ⌘K to find something.
    </p>
  </Empty>
)
