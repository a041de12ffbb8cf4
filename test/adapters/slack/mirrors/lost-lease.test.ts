import { beforeAll, describe, expect, test } from 'vitest';
import { row } from '../../../../src/rich-text/compose.ts';
import type { Content, OutgoingFile } from '../../../../src/model/message.ts';
import type { Channel, Posted } from '../../../../src/model/place.ts';
import type { WhileHeld } from '../../../../src/ports/processes.ts';
import type { Mirror, Mirrors } from '../../../../src/ports/mirrors.ts';
import type { Platform } from '../../../../src/ports/platform.ts';
import type { FakeChannel } from '../../../fakes/slack/index.ts';
import { createLostLease, type Act } from '../../../fakes/lost-lease.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { openSlack, placeOf } from '../support.ts';
import { shared } from '../../../fakes/opened.ts';

let mirrors: Mirrors;
const slack = shared(() => openSlack());
beforeAll(async () => {
  ({ mirrors } = slack.platform as Required<Platform>);
});

interface Standing {
  readonly to: FakeChannel;
  readonly target: Channel;
  readonly mirror: Mirror;
  readonly posted: Posted;
}

const file = (name: string): OutgoingFile => ({
  name,
  mediaType: 'image/png',
  bytes: Buffer.from(name),
});
const FILES = [file('cat.png'), file('dog.png')];
/** A text that takes several messages. */
const LONG = rich('word '.repeat(1_000));

const put = async (
  target: Channel,
  mirror: Mirror,
  options: WhileHeld & { readonly mayExist: boolean },
): Promise<Posted> => {
  const { signal } = new AbortController();
  const [posted] = await Array.fromAsync(
    mirrors.create({ channel: target }, [mirror], { signal, ...options }),
  );
  return posted!;
};

const stand = async (content: Mirror['content']): Promise<Standing> => {
  const { workspace } = slack;
  const ann = workspace.user();
  const [from, to] = [workspace.channel({ members: [ann] }), workspace.channel({ members: [ann] })];
  const { ts } = from.say(ann, 'hello');
  const mirror: Mirror = {
    source: { channel: placeOf(workspace, from), id: ts },
    key: 'watch',
    content,
    label: row('🌐 English'),
    as: { name: 'Ann' },
  };
  const target = placeOf(workspace, to);
  return { to, target, mirror, posted: await put(target, mirror, { mayExist: false }) };
};

const EFFECT = /^(?:chat\.|files\.(?:completeUploadExternal|delete)$)/;
const effects = (): number =>
  slack.fake.requests.filter(({ method }) => EFFECT.test(method)).length;

const { tryIt, expectNoMore } = createLostLease(effects);

const short = { text: rich('hola') };
const withFiles = { ...short, files: FILES };
const long = { text: LONG };

const show =
  (content: Mirror['content']) =>
  async ({ mirror, posted }: Standing, held: WhileHeld) =>
    mirrors.update(posted, { ...mirror, content }, held);
const post =
  (content: Mirror['content'], mayExist = false) =>
  async ({ mirror, target }: Standing, held: WhileHeld) =>
    put(target, { ...mirror, content }, { mayExist, ...held });
const remove = async ({ mirror, posted }: Standing, held: WhileHeld) =>
  mirrors.remove(posted, mirror.source, held);
const sweep = async ({ mirror, target }: Standing, held: WhileHeld) =>
  mirrors.removeOrphans({ channel: target }, mirror.source, held);

/** A message of the bot itself. */
const own = async (content: Content): Promise<Standing> => {
  const standing = await stand(short);
  return { ...standing, posted: await slack.platform.post(standing.target, content) };
};
const edit =
  (content: Content) =>
  async ({ posted }: Standing, held: WhileHeld) =>
    slack.platform.edit(posted, content, held);

/** Somebody deletes the text of a mirror. */
const deleted = async (content: Mirror['content']): Promise<Standing> => {
  const standing = await stand(content);
  standing.to.messages.find(({ ts }) => ts === standing.posted.ids[0])?.delete();
  return standing;
};
/** A process whose lease ended posted a mirror in part. */
const inPart = async (content: Mirror['content']): Promise<Standing> => {
  const standing = await stand(short);
  await remove(standing, {});
  const { error } = await tryIt(post(content), standing, 1);
  expect(error?.code).toBe('cancelled');
  return standing;
};

describe('a lease that ends before any request of a process', () => {
  test.each<readonly [string, () => Promise<Standing>, Act<Standing>]>([
    ['that posts files', () => stand(short), post(withFiles)],
    ['that changes a mirror', () => stand(short), show({ text: rich('adiós') })],
    ['that lets a mirror grow', () => stand(short), show(long)],
    ['that shortens a mirror', () => stand(long), show(short)],
    ['that adds files', () => stand(short), show(withFiles)],
    ['that takes files away', () => stand(withFiles), show(short)],
    ['that finds the text of files deleted', () => deleted(withFiles), show(withFiles)],
    ['that completes what it finds', () => stand(withFiles), post(long, true)],
    ['that replaces what it finds', () => inPart({ ...long, files: FILES }), post(long, true)],
    ['that removes a mirror', () => stand(withFiles), remove],
    ['that sweeps', () => stand(withFiles), sweep],
    ['that edits a message of its own', () => own(withFiles), edit({ ...long, files: FILES })],
  ])('%s lets no more of them be sent', async (_, open, act) => expectNoMore(act, open));
});
