import { Link } from '@tanstack/react-router'

export const Lost = () => (
  <div className="page-body instead">
    <h1>There is no such page</h1>
    <p className="quiet">
      Go to <Link to="/worlds">the worlds</Link>, or press ⌘K to find something by its name.
    </p>
  </div>
)
