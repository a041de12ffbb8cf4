import { beforeEach } from 'vitest';
import type { MessageRef, Posted } from '../../../../src/model/place.ts';
import type { Mirror } from '../../../../src/ports/mirrors.ts';
import { createHastyClock } from '../../../fakes/clock.ts';
import { never, openDiscord, placeOf } from '../support.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { row } from '../../../../src/rich-text/compose.ts';
import { plainInline } from '../../../../src/rich-text/walk.ts';
import { shared } from '../../../fakes/opened.ts';

/** One Discord for the copies of a file, and a clock that moves only when a test says so. */
export const withCopies = () => {
  const clock = createHastyClock((ms) => discord.fake.clock.advance(ms));
  const discord = shared(() => openDiscord({ speed: 20 }, { clock }));
  beforeEach(() => {
    discord.fake.heal();
    discord.fake.clock.advance(61_000);
    clock.ms += 61_000;
  });

  const setUp = () => {
    const guild = discord.fake.guild();
    const [from, to] = [guild.channel({ name: 'from' }), guild.channel({ name: 'to' })];
    const ann = discord.fake.user({ name: 'Ann' });
    const bob = discord.fake.user({ name: 'Bob' });
    const sourceOf = (id: string): MessageRef => ({ channel: placeOf(guild, from), id });
    const copyOf = (text: string, by = ann, part: Partial<Mirror> = {}): Mirror => {
      const said = from.say(by, text);
      return {
        source: sourceOf(said.id),
        content: { text: rich(text.toUpperCase()) },
        key: 'watch',
        label: row('🌐 English'),
        as: { name: by.name, avatarUrl: 'https://cdn.discordapp.com/embed/avatars/1.png' },
        ...part,
      };
    };
    const target = placeOf(guild, to);
    const post = async (copies: readonly Mirror[], mayExist = false): Promise<Posted[]> =>
      Array.fromAsync(
        discord.mirrors.create({ channel: target }, copies, { mayExist, signal: never() }),
      );
    return { guild, from, to, ann, bob, copyOf, target, post, sourceOf };
  };

  return { discord, clock, setUp };
};
export type SetUp = ReturnType<typeof withCopies>['setUp'];

export const footer = (copy: Mirror): string => {
  const { channel, id } = copy.source;
  return `-# [${plainInline(copy.label)}](<https://discord.com/channels/${channel.space.id}/${channel.id}/${id}>)`;
};

/** A copy that takes two messages. */
export const TWO_PARTS = { text: rich('word '.repeat(700)) };
export const REFUSED = {
  status: 400,
  body: { code: 200_000, message: 'Message was blocked by automatic moderation' },
};
export const isSecond = ({ body }: { readonly body: Record<string, unknown> }): boolean =>
  String(body['content']).includes(' 2/2');
export const firstLines = (messages: readonly { readonly content: string }[]): string[] =>
  messages.map(({ content }) => content.split('\n')[0] ?? '');
export const lastWords = (messages: readonly { readonly content: string }[]): string[] =>
  messages.map(({ content }) => content.slice(-3));
