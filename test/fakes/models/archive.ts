import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';

export type ArchiveEntry = Partial<Header> & {
  readonly name: string;
  readonly content?: Uint8Array | string;
};

/** A tar archive of entries, whatever their names and types. */
export const makeTar = async (entries: readonly ArchiveEntry[]): Promise<Buffer> => {
  const archive = pack();
  for (const { content = '', ...header } of entries)
    archive.entry(header, typeof content === 'string' ? content : Buffer.from(content));
  archive.finalize();
  return buffer(archive);
};

/** The files of a folder as entries below `name`. */
export const entriesOf = (folder: string, name: string): readonly ArchiveEntry[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return {
        name: `${name}/${relative(folder, path).split(sep).join('/')}`,
        content: readFileSync(path),
      };
    });

/** A folder as a `.tar.gz` with one folder at its top. */
export const tarGz = async (folder: string, name: string): Promise<Buffer> =>
  gzipSync(await makeTar(entriesOf(folder, name)));

export interface ZipEntry {
  readonly name: string;
  readonly content: string;
  /** Unix type and permissions. */
  readonly mode?: number;
  readonly isCompressed?: boolean;
}

/** A zip archive, whatever the names. */
export const makeZip = (entries: readonly ZipEntry[]): Buffer => {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode = 0o100644, isCompressed = false } of entries) {
    const [nameBytes, plain] = [Buffer.from(name), Buffer.from(content)];
    const bytes = isCompressed ? deflateRawSync(plain) : plain;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isCompressed ? 8 : 0, 4);
    common.writeUInt32LE(crc32(plain), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(plain.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, nameBytes, bytes]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, 3]);
    centrals.push(
      Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), madeBy, common, tail, nameBytes]),
    );
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
};
