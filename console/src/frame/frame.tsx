import { Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../api.ts'
import { useAsk } from '../ask.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { Navigation } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { SignIn } from './sign-in.tsx'

/** Everything around a page. Without a session it shows the sign-in form alone. */
export const Frame = () => {
  const me = useAsk('readMe', {}, { everyMs: 15_000 })
  const [palette, setPalette] = useState(false)
  if (me.error instanceof ApiError && me.error.status === 401) return <SignIn />
  if (me.data === undefined)
    return (
      <main className="alone">
        {me.error ? <Failure error={me.error} retry={() => void me.refetch()} /> : <Skeleton rows={6} />}
      </main>
    )
  return (
    <div className="frame">
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <Navigation
        organization={me.data.organization.name}
        online={!me.error}
        onSearch={() => setPalette(true)}
      />
      <main id="page" className="page" tabIndex={-1}>
        <Outlet />
      </main>
      <Palette open={palette} setOpen={setPalette} />
      <Shortcuts />
    </div>
  )
}
