import type { Json } from '../json.ts';
import type { File, User, World } from '../state.ts';

export interface NewFile {
  readonly name: string;
  readonly mimetype: string;
  readonly bytes: Uint8Array;
  readonly altText?: string;
  /** Fields of the file object, e.g. `{subtype: 'slack_audio', duration_ms: 3000}`. */
  readonly more?: Json;
  readonly checkInfo?: boolean;
}

/** Stores a file that somebody adds to a message. */
export const addFile = (world: World, owner: User, file: NewFile): File => {
  const added: File = {
    id: world.clock.id('F'),
    workspace: owner.workspace,
    owner,
    name: file.name,
    title: file.name,
    mimetype: file.mimetype,
    bytes: file.bytes,
    altText: file.altText,
    more: file.more ?? {},
    checkInfo: file.checkInfo ?? false,
    shared: true,
    deleted: false,
  };
  world.files.set(added.id, added);
  return added;
};
