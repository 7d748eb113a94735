import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { signOut } from '../api.ts'
import { queryClient } from '../ask.ts'
import { Icon } from '../parts/icon.tsx'
import { setTheme, themes, useTheme } from '../theme.ts'
import { Brand } from './brand.tsx'
import { places } from './places.ts'

const foldedPlace = 'diorama.folded'

export const leave = async (): Promise<void> => {
  await signOut()
  queryClient.clear()
  await queryClient.invalidateQueries()
  location.assign('/')
}

interface NavigationProps {
  readonly organization: string
  readonly online: boolean
  readonly onSearch: () => void
}

/** The sidebar; on a narrow screen a bar at the bottom. */
export const Navigation = ({ organization, online, onSearch }: NavigationProps) => {
  const [folded, setFolded] = useState(localStorage.getItem(foldedPlace) === 'yes')
  const fold = () => {
    localStorage.setItem(foldedPlace, folded ? 'no' : 'yes')
    setFolded(!folded)
  }
  return (
    <nav className={folded ? 'navigation is-folded' : 'navigation'} aria-label="Main">
      <div className="navigation-head">
        <span className="brand">
          <Brand size={20} />
          <span className="brand-name">Diorama</span>
        </span>
        <button
          type="button"
          className="icon-button fold"
          onClick={fold}
          aria-label={folded ? 'Expand the sidebar' : 'Collapse the sidebar'}
        >
          <Icon name={folded ? 'arrow' : 'back'} />
        </button>
      </div>
      <button type="button" className="search-button" onClick={onSearch} title="Search and commands">
        <Icon name="search" size={14} />
        <span>Search</span>
        <kbd>⌘K</kbd>
      </button>
      <ul>
        {places.map(({ to, icon, label }) => (
          <li key={to}>
            <Link to={to} className="place" title={label}>
              <Icon name={icon} />
              <span>{label}</span>
            </Link>
          </li>
        ))}
      </ul>
      <p className="navigation-hint">
        <kbd>?</kbd> Keyboard shortcuts
      </p>
      <Foot organization={organization} online={online} />
    </nav>
  )
}

const Foot = ({ organization, online }: { organization: string; online: boolean }) => {
  const theme = useTheme()
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return (
    <div className="navigation-foot">
      <span className={online ? 'live is-live' : 'live'} role="status">
        {online ? 'Connected' : 'Connection lost'}
      </span>
      <span className="organization" title={organization}>
        {organization}
      </span>
      <div className="foot-buttons">
        <button
          type="button"
          className="icon-button"
          onClick={() => setTheme(next)}
          aria-label={`Theme: ${theme}. Switch to ${next}`}
          title={`Theme: ${theme}`}
        >
          <Icon name="sun" />
        </button>
        <button
          type="button"
          className="icon-button"
          onClick={() => void leave()}
          aria-label="Sign out"
          title="Sign out"
        >
          <Icon name="exit" />
        </button>
      </div>
    </div>
  )
}
