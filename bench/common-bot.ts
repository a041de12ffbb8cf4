import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { DiscordFake } from '../test/fakes/discord/index.ts';
import type { SpeechFake } from '../test/fakes/speech.ts';

/** Starts the bot of the common way in a process of its own; what it fails at counts, not what it prints. */
export const spawnCommonBot = (
  discord: Pick<DiscordFake, 'token' | 'url'>,
  speech: Pick<SpeechFake, 'key' | 'url'>,
): ChildProcess =>
  spawn(process.execPath, [join(import.meta.dirname, 'common-bot.mjs')], {
    env: {
      PATH: process.env['PATH'],
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.url,
      SPEECH_API_URL: speech.url,
      SPEECH_API_KEY: speech.key,
    },
    stdio: 'ignore',
  });
