import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { row } from '../../../../src/model/compose-rich-text.ts';
import type { OutgoingFile } from '../../../../src/model/file.ts';
import type { Channel, Posted } from '../../../../src/model/place.ts';
import type { WhileHeld } from '../../../../src/ports/leases.ts';
import type { Mirror, Mirrors } from '../../../../src/ports/mirrors.ts';
import type { Platform } from '../../../../src/ports/platform.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { openSlack, placeOf, type TestSlack } from '../support.ts';

let slack: TestSlack;
let mirrors: Mirrors;
beforeAll(async () => {
  slack = await openSlack();
  ({ mirrors } = slack.platform as Required<Platform>);
});
afterAll(() => slack[Symbol.asyncDispose]());

interface Standing {
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
const LONG = rich('word '.repeat(4_000));

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
  return { target, mirror, posted: await put(target, mirror, { mayExist: false }) };
};

const EFFECT = /^(?:chat\.|files\.(?:completeUploadExternal|delete)$)/;
const effects = (since: number): number =>
  slack.fake.requests.slice(since).filter(({ method }) => EFFECT.test(method)).length;

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

describe('a lease that ends before any request of a process', () => {
  test.each([
    ['that posts files', short, post(withFiles)],
    ['that changes a mirror', short, show({ text: rich('adiós') })],
    ['that lets a mirror grow', short, show(long)],
    ['that shortens a mirror', long, show(short)],
    ['that adds files', short, show(withFiles)],
    ['that takes files away', withFiles, show(short)],
    ['that completes what it finds', withFiles, post(long, true)],
    ['that removes a mirror', withFiles, remove],
    ['that sweeps', withFiles, sweep],
  ])('%s lets no more of them be sent', async (_, content, act) => {
    for (let allowed = 0; ; allowed += 1) {
      const standing = await stand(content);
      const since = slack.fake.requests.length;
      const assertHeld = (): void => {
        if (effects(since) >= allowed) throw new AppError('cancelled', 'lost');
      };
      const error: unknown = await act(standing, { assertHeld }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(effects(since)).toBeLessThanOrEqual(allowed);
      if (error === undefined) {
        expect(allowed).toBeGreaterThan(0);
        return;
      }
      expect(error).toMatchObject({ code: 'cancelled' });
    }
  });
});
