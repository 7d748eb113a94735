// Finds a Chromium for the tests, or installs Debian's where that is allowed (root, apt). Prints its path.
// Where there is none it says so and exits 0, so that other tests run; in CI a missing browser is a failure.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium-headless-shell', 'chromium', 'google-chrome']

const runs = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The browser that tests should drive, or nothing. */
export const findBrowser = () => {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin']
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [process.env.CHROME_PATH ?? '', ...places].find((path) => path !== '' && runs(path))
}

const mayInstall = () => process.getuid?.() === 0 && runs('/usr/bin/apt-get')

const installBrowser = () => {
  process.stderr.write('installing chromium-headless-shell\n')
  const apt = (...args) =>
    spawnSync('/usr/bin/apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 300_000,
    }).status === 0
  const wanted = ['install', '-y', '--no-install-recommends', 'chromium-headless-shell']
  return apt(...wanted) || (apt('update') && apt(...wanted))
}

if (import.meta.main) {
  if (!findBrowser() && mayInstall()) installBrowser()
  const found = findBrowser()
  process.stderr.write(
    found ? `${found}\n` : 'There is no Chromium; set CHROME_PATH, or install chromium-headless-shell.\n',
  )
  if (!found && process.env.CI) process.exit(1)
}
