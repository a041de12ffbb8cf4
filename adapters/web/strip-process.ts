/** Strips the types of each module that it is sent. */
import { stripTypeScriptTypes } from 'node:module';
import { serveParent } from '../../src/process/child.ts';

serveParent(async (source: string) => stripTypeScriptTypes(source));
