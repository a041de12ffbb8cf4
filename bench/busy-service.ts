import { setTimeout as delay } from 'node:timers/promises';
import { createBot } from '../test/fakes/bot.ts';
import {
  startDiscordFake,
  type DiscordFake,
  type FakeChannel,
} from '../test/fakes/discord/index.ts';
import { startSpeechFake, type SpeechFake } from '../test/fakes/speech.ts';
import { createTokenBucket } from '../test/fakes/token-bucket.ts';
import { spawnCommonBot } from './common-bot.ts';
import { fixed, printTable } from './measure.ts';

/**
 * A channel with replies in Spanish, in which 500 messages are said at 10 a second, over a service that
 * takes 5 requests a second, 8 at once. Discord answers at once. The common way is a bot that translates
 * in its event handler.
 */

const MESSAGES = 500;
const PER_SECOND = 10;
const LIMIT = { perSecond: 5, burst: 8 };
/** Longest wait for the last reply, after which nothing more is expected. */
const LONGEST_MS = 180_000;

const limit = (speech: SpeechFake): { accepted: number; refused: number } => {
  const counts = { accepted: 0, refused: 0 };
  const bucket = createTokenBucket(() => performance.now(), LIMIT);
  speech.limit = {
    ...bucket,
    take: () => {
      const waitMs = bucket.take();
      counts[waitMs === 0 ? 'accepted' : 'refused'] += 1;
      return waitMs;
    },
  };
  return counts;
};

interface Measured {
  readonly posted: number;
  readonly inOrder: boolean;
  readonly seconds: number;
  readonly refused: number;
}

const measure = async (
  discord: DiscordFake,
  speech: SpeechFake,
  channel: FakeChannel,
): Promise<Measured> => {
  const ann = discord.user({ name: 'Ann' });
  const counts = limit(speech);
  discord.requests.length = 0;
  const startMs = performance.now();
  const ids: string[] = [];
  for (let count = 0; count < MESSAGES; count += 1) {
    const dueMs = startMs + (count * 1_000) / PER_SECOND;
    if (dueMs > performance.now()) await delay(dueMs - performance.now());
    ids.push(channel.say(ann, `We shall meet at the station, number ${count}`).id);
  }
  const answered = (): string[] =>
    discord.requests
      .filter(({ route }) => route === 'POST /channels/:id/messages')
      .flatMap(({ body }) => {
        const said = body['message_reference'] as { message_id: string } | undefined;
        return said ? [said.message_id] : [];
      });
  await discord.until(() => answered().length >= MESSAGES, LONGEST_MS).catch(() => undefined);
  const posted = answered();
  return {
    posted: new Set(posted).size,
    inOrder: posted.every((id, at) => at === 0 || ids.indexOf(id) > ids.indexOf(posted[at - 1]!)),
    seconds: (performance.now() - startMs) / 1_000,
    refused: counts.refused / (counts.accepted + counts.refused),
  };
};

const ours = async (): Promise<Measured> => {
  await using bot = await createBot({ limits: 'off' });
  const guild = bot.discord.guild({ name: 'Babel' });
  const channel = guild.channel({ name: 'general' });
  await bot.start({ DISCORD_REQUESTS_PER_SECOND: '10000' });
  await bot.use({ guild, channel }, 'autotranslate reply', { languages: 'es' });
  return await measure(bot.discord, bot.speech, channel);
};

const common = async (): Promise<Measured> => {
  await using discord = await startDiscordFake({ limits: 'off' });
  await using speech = await startSpeechFake();
  const channel = discord.guild({ name: 'Babel' }).channel({ name: 'general' });
  const child = spawnCommonBot(discord, speech);
  await discord.online();
  await delay(1_000);
  const measured = await measure(discord, speech, channel);
  child.kill('SIGKILL');
  return measured;
};

const [us, them] = await Promise.all([ours(), common()]);
const row = (what: string, of: (measured: Measured) => string) => ({
  what,
  ours: of(us),
  common: of(them),
  ratio: '–',
});
printTable(`${MESSAGES} messages at ${PER_SECOND} a second over a service that takes 5`, [
  row('translated', ({ posted }) => String(posted)),
  row('in the order in which they were said', ({ inOrder }) => (inOrder ? 'yes' : 'no')),
  row('until the last reply', ({ posted, seconds }) =>
    posted === MESSAGES ? `${fixed(seconds, 0)} s` : 'never',
  ),
  row('requests answered with 429', ({ refused }) => `${fixed(refused * 100, 1)} %`),
]);
process.exit();
