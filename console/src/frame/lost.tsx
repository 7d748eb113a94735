import { Link } from '@tanstack/react-router'

export const Lost = () => (
  <div className="page-body instead">
    <h1>Page not found</h1>
    <p className="quiet">
      Go to <Link to="/worlds">Worlds</Link>, or press ⌘K to search.
    </p>
  </div>
)
