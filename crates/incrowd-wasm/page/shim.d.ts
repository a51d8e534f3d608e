// What the page uses of @bjorn3/browser_wasi_shim, which has types of its own where it is installed.
export class File { constructor(data: Uint8Array<ArrayBuffer> | number[]); data: Uint8Array<ArrayBuffer>; }
export class Directory { constructor(contents: Map<string, File | Directory>); contents: Map<string, File | Directory>; }
export class OpenFile { constructor(file: File); }
export class PreopenDirectory { constructor(name: string, contents: Map<string, File | Directory>); dir: Directory; }
export class ConsoleStdout { static lineBuffered(write: (line: string) => void): ConsoleStdout; }
export class WASI {
  constructor(args: string[], env: string[], fds: (OpenFile | PreopenDirectory | ConsoleStdout)[], options: { debug: boolean });
  wasiImport: Record<string, any>;
  initialize(instance: WebAssembly.Instance): void;
}
