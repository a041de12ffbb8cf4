import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { spawnDragoman } from '../fakes/program.ts';
import { createSlackProcess, type SlackProcess } from '../fakes/slack-bot.ts';
import { repliesTo } from './support.ts';

const [, steps = ''] =
  /^## Ten steps.*?\n([^]*?)^## /m.exec(readFileSync('docs/slack.md', 'utf8')) ?? [];
/** The lines that the guide has its reader write into `.env`. */
const envLines = [...steps.matchAll(/echo "([A-Z_]+)=([^"]*)" >> \.env/g)].map(
  ([, name = '', value = '']) => ({ name, value }),
);
/** The lines that it has its reader type in a channel. */
const typed = [...steps.matchAll(/^ *(\/(?:invite|dragoman) .*)$/gm)].map(([, line = '']) => line);

/** The tokens that the pages of the app show, by how the guide says they begin. */
const shownBy = ({ slack, workspace }: SlackProcess, value: string): string =>
  value.includes('xoxb') ? workspace.botToken : slack.app.appToken;

/** Runs the doctor with nothing but the guide's variables and the addresses of the fakes. */
const doctor = async (
  { slack, speech }: SlackProcess,
  envFile: string,
  ...words: readonly string[]
): Promise<string> =>
  text(
    spawnDragoman(
      {
        SLACK_API_URL: slack.url,
        SPEECH_API_URL: speech.url,
        SPEECH_API_KEY: speech.key,
        DATABASE_URL: 'sqlite::memory:',
      },
      envFile,
      'doctor',
      ...words,
    ).stdout,
  );

test('the ten steps of the guide lead to a translated channel', async () => {
  expect(steps.match(/^\d+\. /gm)).toHaveLength(10);
  await using bot = await createSlackProcess({ speed: 50 });
  const [, asked = ''] = /npm run doctor -- (\w+)/.exec(steps) ?? [];
  const off = await doctor(bot, '', asked);
  const link = /https:\/\/api\.slack\.com\/apps\?\S+/.exec(off)?.[0] ?? '';
  expect(new URL(link).searchParams.get('manifest_yaml')).toContain('socket_mode_enabled: true');

  const envFile = envLines.map(({ name, value }) => `${name}=${shownBy(bot, value)}\n`).join('');
  const on = (await doctor(bot, envFile)).split('\n').filter((line) => line.includes('Slack: '));
  expect(on.length).toBeGreaterThanOrEqual(4);
  expect(on.filter((line) => !line.startsWith(' ok '))).toEqual([]);

  await bot.start();
  const channel = bot.workspace.channel({ members: [bot.admin], bot: false });
  expect(typed.map((line) => line.split(' ')[0])).toEqual(['/invite', '/dragoman']);
  for (const line of typed) {
    const [word = '', ...rest] = line.split(' ');
    if (word === '/invite') channel.inviteBot();
    else await bot.use(channel, rest.join(' '));
  }
  const said = channel.say(bot.admin, 'Good morning to you all');
  await bot.slack.until(() => repliesTo(said).length === 1);
  expect(repliesTo(said)[0]?.text).toContain('es:Good morning to you all');
});
