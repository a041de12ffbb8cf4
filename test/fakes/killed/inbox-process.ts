import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

/**
 * A process that accepts messages, claims them and settles them, until it is killed. It says `accepted NUMBER` once a
 * message is accepted, and `post NUMBER` when it would post it: `look NUMBER` where it would look for the post first.
 * Arguments: the database, the number of the machine's start, an epoch, the first message, a folder for images or nothing.
 */
const [url = '', bootId = '', epochText = '', first = '', images = ''] = process.argv.slice(2);

/** Keeps the database file and its journal as they were at each sync: what a loss of power leaves at least. */
const keepImages = (path: string): void => {
  const sync = fs.fdatasync;
  let count = 0;
  const syncAndKeep = (
    file: number,
    done: (thrown: NodeJS.ErrnoException | null) => void,
  ): void => {
    count += 1;
    const image = join(images, `${count}.db`);
    for (const part of ['', '-wal'])
      if (fs.existsSync(path + part)) fs.copyFileSync(path + part, image + part);
    const own = count;
    sync(file, (thrown) => {
      if (!thrown) {
        fs.writeFileSync(join(images, 'next'), String(own));
        fs.renameSync(join(images, 'next'), join(images, 'latest'));
      }
      for (const part of ['', '-wal'])
        fs.rmSync(join(images, `${own - 2}.db${part}`), { force: true });
      done(thrown);
    });
  };
  Object.assign(fs, { fdatasync: syncAndKeep });
  syncBuiltinESMExports();
};

if (images !== '') keepImages(url.slice('sqlite:'.length));

const { openStore } = await import('../../../src/store/index.ts');
const { createInboxStore } = await import('../../../src/store/inbox/index.ts');
const { plainWords } = await import('../../../src/rich-text/compose.ts');

const PARTITION = 'test:channel:here';
const channel = { space: { platform: 'test', id: 's' }, id: 'here' };
/** Messages that are accepted at the same time. */
const AT_ONCE = 4;

const say = (line: string): void => void fs.writeSync(1, `${line}\n`);

const store = await openStore(url, { bootIdOf: () => bootId, connections: 6 });
const inbox = createInboxStore({ store, now: Date.now });
const epoch = Number(epochText);
let next = Number(first);

/** Faults of the database end by themselves: they are what is tried here. */
const forgive = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
};

const accept = async (): Promise<void> => {
  const number = next;
  next += 1;
  const { was } = await inbox.accept({
    message: {
      ref: { channel, id: String(number) },
      position: String(number).padStart(9, '0'),
      author: { id: 'ada', name: 'Ada', kind: 'person' },
      text: plainWords(`message ${number} of those that must not be lost`),
      files: [],
      stickers: [],
    },
    purpose: 'watch',
    partition: PARTITION,
    writtenMs: number,
  });
  if (was !== 'same') say(`accepted ${number}`);
};

const work = async (): Promise<void> => {
  const { rows } = await inbox.claim(PARTITION, 3, { epoch });
  for (const row of rows) {
    say(`${row.mayExist ? 'look' : 'post'} ${row.ref.id}`);
    await store.write((db) => inbox.settle(db, row, { state: 'posted' }));
  }
  if (rows.length === 0)
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
};

const forever = async (step: () => Promise<void>): Promise<never> => {
  for (;;) await forgive(step);
};
// What waits for the database keeps no process alive by itself.
setInterval(() => undefined, 1_000);
say('ready');
await Promise.all([forever(work), ...Array.from({ length: AT_ONCE }, async () => forever(accept))]);
