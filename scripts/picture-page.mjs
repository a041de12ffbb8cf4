// Takes docs/images/page.png, the picture of the page: `npm run picture`. It needs the package
// apertium-eng-spa and, for a bundled Chromium, FONTCONFIG_PATH=/etc/fonts for the arrows of the list.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { createInterface } from 'node:readline';
import { launchBrowser } from '../test/browser/chromium.ts';

const ROOT = join(import.meta.dirname, '..');
const TEXT = 'Every language opens a new world.';

const folder = await mkdtemp(join(tmpdir(), 'dragoman-picture-'));
const program = spawn(process.execPath, [join(ROOT, 'main.ts')], {
  cwd: folder,
  env: { PATH: env.PATH, PORT: '0', LOG_LEVEL: 'silent' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await launchBrowser();
try {
  let url;
  for await (const line of createInterface({ input: program.stdout })) {
    url = /^Dragoman on web: (\S+)/.exec(line)?.[1];
    if (url) break;
  }
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    locale: 'en',
  });
  await page.goto(url);
  const typed = page.locator('#line');
  const answer = async (line, shown) => {
    await typed.fill(line);
    await typed.press('Escape');
    await typed.press('Enter');
    await page.locator('article.ours:not([aria-busy="true"])').filter(shown).waitFor();
  };
  await answer(`/translate text:"${TEXT}" to:es`, { hasText: 'mundo' });
  await answer(`/say text:"${TEXT}"`, { has: page.locator('.wave') });
  await typed.fill('/tr');
  await page.getByRole('listbox').waitFor();
  await page.screenshot({ path: join(ROOT, 'docs/images/page.png') });
} finally {
  await browser.close();
  program.kill();
  await once(program, 'exit');
  await rm(folder, { recursive: true });
}
