import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { slackScreens } from '../fakes/slack-screens.ts';

test('docs/slack-screens.md shows what people see: otherwise run `npm run slack-screens`', async () => {
  expect(readFileSync('docs/slack-screens.md', 'utf8')).toBe(await slackScreens());
});
