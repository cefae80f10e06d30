/** What the tests' VS Code is made of. A change here makes a new one beside the old. */
export const CODE_SERVER = "4.100.3"; // VS Code 1.100.3
export const NODE_GYP = "11.4.2";
export const NODE_MAJOR = 20; // what code-server 4.100.3 runs on

/** The name of the folder that holds all this, made anew when any of it changes. */
export const stamp = `code-server-${CODE_SERVER}-node${process.versions.node.split(".")[0]}`;
