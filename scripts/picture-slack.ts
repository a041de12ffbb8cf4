// Writes docs/slack-screens.md: `npm run slack-screens`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { slackScreens } from '../test/fakes/slack-screens.ts';

await writeFile(join(import.meta.dirname, '../docs/slack-screens.md'), await slackScreens());
