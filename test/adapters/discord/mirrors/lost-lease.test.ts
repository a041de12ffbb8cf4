import { describe, expect, test } from 'vitest';
import type { Posted } from '../../../../src/model/place.ts';
import type { WhileHeld } from '../../../../src/ports/processes.ts';
import type { Mirror } from '../../../../src/ports/mirrors.ts';
import { createLostLease, type Act } from '../../../fakes/lost-lease.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { never } from '../support.ts';
import { TWO_PARTS, withCopies } from './support.ts';

const { discord, setUp } = withCopies();

type Here = ReturnType<typeof setUp>;

interface Standing extends Here {
  readonly copies: readonly Mirror[];
  readonly posted: readonly Posted[];
}

/** What people see; a webhook alone shows nothing. */
const effects = (): number =>
  discord.fake.requests.filter(
    ({ route }) => !route.startsWith('GET ') && route !== 'POST /channels/:id/webhooks',
  ).length;

const { tryIt, expectNoMore } = createLostLease(effects);

/** Copies in one message of the bot. */
const sharing = async (count = 2): Promise<Standing> => {
  const here = setUp();
  here.guild.revoke('ManageWebhooks');
  const copies = [here.copyOf('one'), here.copyOf('two', here.bob)].slice(0, count);
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
/** A copy in a thread that is archived. */
const archived = async (): Promise<Standing> => {
  const here = setUp();
  const { channel: target } = await discord.mirrors.thread(here.target, 'Español');
  const copies = [here.copyOf('one')];
  const options = { mayExist: false, signal: never() };
  const posted = await Array.fromAsync(
    discord.mirrors.create({ channel: target }, copies, options),
  );
  here.to.threads[0]!.archive();
  return { ...here, target, copies, posted };
};
/** What stands after a process whose lease ended after so many requests. */
const leftBy =
  (stand: () => Promise<Standing>, act: Act<Standing>, allowed: number) =>
  async (): Promise<Standing> => {
    const standing = await stand();
    const { error } = await tryIt(act, standing, allowed);
    expect(error?.code).toBe('cancelled');
    return standing;
  };

/** A copy with another content, and what an earlier try may have added. */
const grown = async ({ copies: [copy], posted: [posted] }: Standing, held: WhileHeld) =>
  discord.mirrors.update(posted!, { ...copy!, content: TWO_PARTS }, { sinceMs: 0, ...held });
/** The same where the bot may not edit. */
const stuck: Act<Standing> = async (standing, held) => {
  discord.fake.heal();
  const refused = { status: 403, body: { message: 'Missing Permissions', code: 50_013 } };
  discord.fake.fail('PATCH /channels/:id/messages/:id', refused);
  await grown(standing, held);
};
const changed = async ({ copies: [copy], posted: [posted] }: Standing, held: WhileHeld) =>
  discord.mirrors.update(posted!, { ...copy!, content: { text: rich('now') } }, held);
const removed = async ({ copies: [copy], posted: [posted] }: Standing, held: WhileHeld) =>
  discord.mirrors.remove(posted!, copy!.source, held);
const completed = async ({ copies, target }: Standing, held: WhileHeld) => {
  const options = { mayExist: true, signal: never(), ...held };
  const now = copies.map((copy) => ({ ...copy, content: { text: rich('now') } }));
  await Array.fromAsync(discord.mirrors.create({ channel: target }, now, options));
};
/** The first copy with a recording, which has to stand in front of its text. */
const spoken = async ({ copies: [copy], target }: Standing, held: WhileHeld) => {
  const voice = { durationMs: 2_500, loudness: [0, 0, 0] };
  const file = { name: 'v.ogg', mediaType: 'audio/ogg', bytes: new Uint8Array(64), voice };
  const now = { ...copy!, content: { text: rich('now'), files: [file] } };
  const options = { mayExist: true, signal: never(), ...held };
  await Array.fromAsync(discord.mirrors.create({ channel: target }, [now], options));
};
const swept = async ({ copies: [copy], target }: Standing, held: WhileHeld) =>
  discord.mirrors.removeOrphans({ channel: target }, copy!.source, held);

const lost = (): Promise<Standing> => orphaned(1);
const manyLost = (): Promise<Standing> => orphaned(40);
/** The same where the bot has to tell the names. */
const manyNamed = async (): Promise<Standing> => {
  const standing = await orphaned(40);
  standing.guild.revoke('ManageWebhooks');
  return standing;
};

describe('a lease that ends before any request of a process', () => {
  test.each<readonly [string, () => Promise<Standing>, Act<Standing>]>([
    ['that changes a copy', alone, changed],
    ['that lets a copy grow', alone, grown],
    ['that completes what it finds', alone, completed],
    ['that replaces what it finds', () => sharing(), spoken],
    ['that wakes a thread', archived, removed],
    ['that changes a copy in a shared message', sharing, changed],
    ['that takes a copy out of a shared message', sharing, removed],
    ['that deletes a shared message', () => sharing(1), removed],
    ['that gives a copy of a shared message its own', sharing, grown],
    ['that goes on with such a message', leftBy(sharing, grown, 2), grown],
    ['that takes such a message back', sharing, stuck],
    ['that sweeps', sharing, swept],
    ['that posts anew what a lost webhook wrote', lost, changed],
    ['that goes on with what it posted anew', leftBy(lost, grown, 4), grown],
    ['that removes what a lost webhook wrote', lost, removed],
    ['that posts neighbours anew', manyLost, removed],
    ['that goes on with neighbours posted anew', leftBy(manyLost, removed, 1), removed],
    ['that posts neighbours anew with their names', manyNamed, removed],
    ['that sweeps what a lost webhook wrote', manyLost, swept],
  ])('%s lets no more of them be sent', async (_, stand, act) => expectNoMore(act, stand));
});
