import { describe, expect, test } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { Posted } from '../../../../src/model/place.ts';
import type { WhileHeld } from '../../../../src/ports/leases.ts';
import type { Mirror } from '../../../../src/ports/mirrors.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { collect, never } from '../support.ts';
import { TWO_PARTS, withCopies } from './support.ts';

const { discord, setUp } = withCopies();

type Here = ReturnType<typeof setUp>;

interface Standing extends Here {
  readonly copies: readonly Mirror[];
  readonly posted: readonly Posted[];
}

/** Two copies in one message of the bot. */
const sharing = async (): Promise<Standing> => {
  const here = setUp();
  here.guild.revoke('ManageWebhooks');
  const copies = [here.copyOf('one'), here.copyOf('two', here.bob)];
  return { ...here, copies, posted: await here.post(copies) };
};
/** Copies of a webhook that is gone; many share messages. */
const orphaned = async (count: number): Promise<Standing> => {
  const here = setUp();
  const copies = Array.from({ length: count }, (_, index) => here.copyOf(`line ${index}`));
  const posted = await here.post(copies);
  here.to.webhooks[0]?.delete();
  return { ...here, copies, posted };
};
const alone = async (): Promise<Standing> => {
  const here = setUp();
  const copies = [here.copyOf('one')];
  return { ...here, copies, posted: await here.post(copies) };
};

/** A copy with another content, and what an earlier try may have added. */
const grown = async ({ copies: [copy], posted: [posted] }: Standing, held: WhileHeld) =>
  discord.mirrors.update(posted!, { ...copy!, content: TWO_PARTS }, { sinceMs: 0, ...held });
const changed = async ({ copies: [copy], posted: [posted] }: Standing, held: WhileHeld) =>
  discord.mirrors.update(posted!, { ...copy!, content: { text: rich('now') } }, held);
const removed = async ({ copies: [copy], posted: [posted] }: Standing, held: WhileHeld) =>
  discord.mirrors.remove(posted!, copy!.source, held);
const completed = async ({ copies, target }: Standing, held: WhileHeld) => {
  const options = { mayExist: true, signal: never(), ...held };
  const now = copies.map((copy) => ({ ...copy, content: { text: rich('now') } }));
  await collect(discord.mirrors.create({ channel: target }, now, options));
};
/** The first copy with a recording, which has to stand in front of its text. */
const spoken = async ({ copies: [copy], target }: Standing, held: WhileHeld) => {
  const voice = { durationMs: 2_500, loudness: [0, 0, 0] };
  const file = { name: 'v.ogg', mediaType: 'audio/ogg', bytes: new Uint8Array(64), voice };
  const now = { ...copy!, content: { text: rich('now'), files: [file] } };
  const options = { mayExist: true, signal: never(), ...held };
  await collect(discord.mirrors.create({ channel: target }, [now], options));
};
const swept = async ({ copies: [copy], target }: Standing, held: WhileHeld) =>
  discord.mirrors.removeOrphans({ channel: target }, copy!.source, held);

/** What people see; a webhook alone shows nothing. */
const effects = (since: number): readonly string[] =>
  discord.fake.requests
    .slice(since)
    .map(({ route }) => route)
    .filter((route) => !route.startsWith('GET ') && route !== 'POST /channels/:id/webhooks');

describe('a lease that ends before any request of a process', () => {
  test.each([
    ['that changes a copy', alone, changed],
    ['that lets a copy grow', alone, grown],
    ['that completes what it finds', alone, completed],
    ['that replaces what it finds', sharing, spoken],
    ['that changes a copy in a shared message', sharing, changed],
    ['that takes a copy out of a shared message', sharing, removed],
    ['that gives a copy of a shared message its own', sharing, grown],
    ['that sweeps', sharing, swept],
    ['that posts anew what a lost webhook wrote', () => orphaned(1), changed],
    ['that removes what a lost webhook wrote', () => orphaned(1), removed],
    ['that posts neighbours anew', () => orphaned(40), removed],
    ['that sweeps what a lost webhook wrote', () => orphaned(40), swept],
  ])('%s lets no more of them be sent', async (_, stand, act) => {
    for (let allowed = 0; ; allowed += 1) {
      const standing = await stand();
      const since = discord.fake.requests.length;
      const assertHeld = (): void => {
        if (effects(since).length >= allowed) throw new AppError('cancelled', 'lost');
      };
      const error: unknown = await act(standing, { assertHeld }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(effects(since).length).toBeLessThanOrEqual(allowed);
      if (error === undefined) {
        expect(allowed).toBeGreaterThan(0);
        return;
      }
      expect(error).toMatchObject({ code: 'cancelled' });
    }
  });
});
