// SPDX-License-Identifier: Apache-2.0

package classfile

// This file is the table of instructions. Effects on the stack are written as in
// the specification, before and behind a colon: I, J, F, D, A for int, long, float,
// double and reference, where J and D take two entries; X is an entry of any kind that
// takes one, and "*" means that the operand decides.

// An Op is an opcode.
type Op uint8

type format uint8

const (
	plain     format = iota // no operand
	byteConst               // a signed byte
	shortConst
	poolByte  // index of a constant, one byte
	poolShort // index of a constant, two bytes
	localByte // index of a local; two bytes after wide
	increment // a local and a signed constant; twice as wide after wide
	jump      // a signed offset of two bytes
	jumpWide  // of four
	tableForm
	lookupForm
	interfaceForm // a constant, a count, a zero
	dynamicForm   // a constant, two zeros
	arrayForm     // a type of elements
	multiForm     // a constant, a number of dimensions
	wideForm
	subroutine     // jsr, jsr_w, ret: refused
	subroutineWide // jsr_w
)

type opInfo struct {
	name   string
	form   format
	effect string
}

// The opcodes that readers of code need by name.
const (
	Nop             Op = 0
	AconstNull      Op = 1
	IconstM1        Op = 2
	Bipush          Op = 16
	Sipush          Op = 17
	Ldc             Op = 18
	LdcW            Op = 19
	Ldc2W           Op = 20
	Iload           Op = 21
	Lload           Op = 22
	Fload           Op = 23
	Dload           Op = 24
	Aload           Op = 25
	Iload0          Op = 26
	Iaload          Op = 46
	Saload          Op = 53
	Istore          Op = 54
	Lstore          Op = 55
	Fstore          Op = 56
	Dstore          Op = 57
	Astore          Op = 58
	Istore0         Op = 59
	Astore3         Op = 78
	Iastore         Op = 79
	Sastore         Op = 86
	Pop             Op = 87
	Pop2            Op = 88
	Dup             Op = 89
	DupX1           Op = 90
	DupX2           Op = 91
	Dup2            Op = 92
	Dup2X1          Op = 93
	Dup2X2          Op = 94
	Swap            Op = 95
	Iadd            Op = 96
	Iinc            Op = 132
	I2l             Op = 133
	Lcmp            Op = 148
	Ifeq            Op = 153
	IfAcmpne        Op = 166
	Goto            Op = 167
	Jsr             Op = 168
	Ret             Op = 169
	Tableswitch     Op = 170
	Lookupswitch    Op = 171
	Ireturn         Op = 172
	Areturn         Op = 176
	Return          Op = 177
	Getstatic       Op = 178
	Putstatic       Op = 179
	Getfield        Op = 180
	Putfield        Op = 181
	Invokevirtual   Op = 182
	Invokespecial   Op = 183
	Invokestatic    Op = 184
	Invokeinterface Op = 185
	Invokedynamic   Op = 186
	New             Op = 187
	Newarray        Op = 188
	Anewarray       Op = 189
	Arraylength     Op = 190
	Athrow          Op = 191
	Checkcast       Op = 192
	Instanceof      Op = 193
	Monitorenter    Op = 194
	Monitorexit     Op = 195
	Wide            Op = 196
	Multianewarray  Op = 197
	Ifnull          Op = 198
	Ifnonnull       Op = 199
	GotoW           Op = 200
	JsrW            Op = 201
)

func (o Op) String() string {
	if int(o) < len(ops) {
		return ops[o].name
	}
	return "unknown"
}

var ops = [...]opInfo{
	0:  {"nop", plain, ":"},
	1:  {"aconst_null", plain, ":A"},
	2:  {"iconst_m1", plain, ":I"},
	3:  {"iconst_0", plain, ":I"},
	4:  {"iconst_1", plain, ":I"},
	5:  {"iconst_2", plain, ":I"},
	6:  {"iconst_3", plain, ":I"},
	7:  {"iconst_4", plain, ":I"},
	8:  {"iconst_5", plain, ":I"},
	9:  {"lconst_0", plain, ":J"},
	10: {"lconst_1", plain, ":J"},
	11: {"fconst_0", plain, ":F"},
	12: {"fconst_1", plain, ":F"},
	13: {"fconst_2", plain, ":F"},
	14: {"dconst_0", plain, ":D"},
	15: {"dconst_1", plain, ":D"},
	16: {"bipush", byteConst, ":I"},
	17: {"sipush", shortConst, ":I"},
	18: {"ldc", poolByte, ":X"},
	19: {"ldc_w", poolShort, ":X"},
	20: {"ldc2_w", poolShort, ":J"},
	21: {"iload", localByte, ":I"},
	22: {"lload", localByte, ":J"},
	23: {"fload", localByte, ":F"},
	24: {"dload", localByte, ":D"},
	25: {"aload", localByte, ":A"},

	26: {"iload_0", plain, ":I"},
	27: {"iload_1", plain, ":I"},
	28: {"iload_2", plain, ":I"},
	29: {"iload_3", plain, ":I"},
	30: {"lload_0", plain, ":J"},
	31: {"lload_1", plain, ":J"},
	32: {"lload_2", plain, ":J"},
	33: {"lload_3", plain, ":J"},
	34: {"fload_0", plain, ":F"},
	35: {"fload_1", plain, ":F"},
	36: {"fload_2", plain, ":F"},
	37: {"fload_3", plain, ":F"},
	38: {"dload_0", plain, ":D"},
	39: {"dload_1", plain, ":D"},
	40: {"dload_2", plain, ":D"},
	41: {"dload_3", plain, ":D"},
	42: {"aload_0", plain, ":A"},
	43: {"aload_1", plain, ":A"},
	44: {"aload_2", plain, ":A"},
	45: {"aload_3", plain, ":A"},

	46: {"iaload", plain, "AI:I"},
	47: {"laload", plain, "AI:J"},
	48: {"faload", plain, "AI:F"},
	49: {"daload", plain, "AI:D"},
	50: {"aaload", plain, "AI:A"},
	51: {"baload", plain, "AI:I"},
	52: {"caload", plain, "AI:I"},
	53: {"saload", plain, "AI:I"},

	54: {"istore", localByte, "I:"},
	55: {"lstore", localByte, "J:"},
	56: {"fstore", localByte, "F:"},
	57: {"dstore", localByte, "D:"},
	58: {"astore", localByte, "A:"},
	59: {"istore_0", plain, "I:"},
	60: {"istore_1", plain, "I:"},
	61: {"istore_2", plain, "I:"},
	62: {"istore_3", plain, "I:"},
	63: {"lstore_0", plain, "J:"},
	64: {"lstore_1", plain, "J:"},
	65: {"lstore_2", plain, "J:"},
	66: {"lstore_3", plain, "J:"},
	67: {"fstore_0", plain, "F:"},
	68: {"fstore_1", plain, "F:"},
	69: {"fstore_2", plain, "F:"},
	70: {"fstore_3", plain, "F:"},
	71: {"dstore_0", plain, "D:"},
	72: {"dstore_1", plain, "D:"},
	73: {"dstore_2", plain, "D:"},
	74: {"dstore_3", plain, "D:"},
	75: {"astore_0", plain, "A:"},
	76: {"astore_1", plain, "A:"},
	77: {"astore_2", plain, "A:"},
	78: {"astore_3", plain, "A:"},

	79: {"iastore", plain, "AII:"},
	80: {"lastore", plain, "AIJ:"},
	81: {"fastore", plain, "AIF:"},
	82: {"dastore", plain, "AID:"},
	83: {"aastore", plain, "AIA:"},
	84: {"bastore", plain, "AII:"},
	85: {"castore", plain, "AII:"},
	86: {"sastore", plain, "AII:"},

	87: {"pop", plain, "X:"},
	88: {"pop2", plain, "XX:"},
	89: {"dup", plain, "X:XX"},
	90: {"dup_x1", plain, "XX:XXX"},
	91: {"dup_x2", plain, "XXX:XXXX"},
	92: {"dup2", plain, "XX:XXXX"},
	93: {"dup2_x1", plain, "XXX:XXXXX"},
	94: {"dup2_x2", plain, "XXXX:XXXXXX"},
	95: {"swap", plain, "XX:XX"},

	96:  {"iadd", plain, "II:I"},
	97:  {"ladd", plain, "JJ:J"},
	98:  {"fadd", plain, "FF:F"},
	99:  {"dadd", plain, "DD:D"},
	100: {"isub", plain, "II:I"},
	101: {"lsub", plain, "JJ:J"},
	102: {"fsub", plain, "FF:F"},
	103: {"dsub", plain, "DD:D"},
	104: {"imul", plain, "II:I"},
	105: {"lmul", plain, "JJ:J"},
	106: {"fmul", plain, "FF:F"},
	107: {"dmul", plain, "DD:D"},
	108: {"idiv", plain, "II:I"},
	109: {"ldiv", plain, "JJ:J"},
	110: {"fdiv", plain, "FF:F"},
	111: {"ddiv", plain, "DD:D"},
	112: {"irem", plain, "II:I"},
	113: {"lrem", plain, "JJ:J"},
	114: {"frem", plain, "FF:F"},
	115: {"drem", plain, "DD:D"},
	116: {"ineg", plain, "I:I"},
	117: {"lneg", plain, "J:J"},
	118: {"fneg", plain, "F:F"},
	119: {"dneg", plain, "D:D"},
	120: {"ishl", plain, "II:I"},
	121: {"lshl", plain, "JI:J"},
	122: {"ishr", plain, "II:I"},
	123: {"lshr", plain, "JI:J"},
	124: {"iushr", plain, "II:I"},
	125: {"lushr", plain, "JI:J"},
	126: {"iand", plain, "II:I"},
	127: {"land", plain, "JJ:J"},
	128: {"ior", plain, "II:I"},
	129: {"lor", plain, "JJ:J"},
	130: {"ixor", plain, "II:I"},
	131: {"lxor", plain, "JJ:J"},
	132: {"iinc", increment, ":"},

	133: {"i2l", plain, "I:J"},
	134: {"i2f", plain, "I:F"},
	135: {"i2d", plain, "I:D"},
	136: {"l2i", plain, "J:I"},
	137: {"l2f", plain, "J:F"},
	138: {"l2d", plain, "J:D"},
	139: {"f2i", plain, "F:I"},
	140: {"f2l", plain, "F:J"},
	141: {"f2d", plain, "F:D"},
	142: {"d2i", plain, "D:I"},
	143: {"d2l", plain, "D:J"},
	144: {"d2f", plain, "D:F"},
	145: {"i2b", plain, "I:I"},
	146: {"i2c", plain, "I:I"},
	147: {"i2s", plain, "I:I"},
	148: {"lcmp", plain, "JJ:I"},
	149: {"fcmpl", plain, "FF:I"},
	150: {"fcmpg", plain, "FF:I"},
	151: {"dcmpl", plain, "DD:I"},
	152: {"dcmpg", plain, "DD:I"},

	153: {"ifeq", jump, "I:"},
	154: {"ifne", jump, "I:"},
	155: {"iflt", jump, "I:"},
	156: {"ifge", jump, "I:"},
	157: {"ifgt", jump, "I:"},
	158: {"ifle", jump, "I:"},
	159: {"if_icmpeq", jump, "II:"},
	160: {"if_icmpne", jump, "II:"},
	161: {"if_icmplt", jump, "II:"},
	162: {"if_icmpge", jump, "II:"},
	163: {"if_icmpgt", jump, "II:"},
	164: {"if_icmple", jump, "II:"},
	165: {"if_acmpeq", jump, "AA:"},
	166: {"if_acmpne", jump, "AA:"},
	167: {"goto", jump, ":"},
	168: {"jsr", subroutine, ":A"},
	169: {"ret", subroutine, ":"},
	170: {"tableswitch", tableForm, "I:"},
	171: {"lookupswitch", lookupForm, "I:"},
	172: {"ireturn", plain, "I:"},
	173: {"lreturn", plain, "J:"},
	174: {"freturn", plain, "F:"},
	175: {"dreturn", plain, "D:"},
	176: {"areturn", plain, "A:"},
	177: {"return", plain, ":"},

	178: {"getstatic", poolShort, "*"},
	179: {"putstatic", poolShort, "*"},
	180: {"getfield", poolShort, "*"},
	181: {"putfield", poolShort, "*"},
	182: {"invokevirtual", poolShort, "*"},
	183: {"invokespecial", poolShort, "*"},
	184: {"invokestatic", poolShort, "*"},
	185: {"invokeinterface", interfaceForm, "*"},
	186: {"invokedynamic", dynamicForm, "*"},
	187: {"new", poolShort, ":A"},
	188: {"newarray", arrayForm, "I:A"},
	189: {"anewarray", poolShort, "I:A"},
	190: {"arraylength", plain, "A:I"},
	191: {"athrow", plain, "A:"},
	192: {"checkcast", poolShort, "A:A"},
	193: {"instanceof", poolShort, "A:I"},
	194: {"monitorenter", plain, "A:"},
	195: {"monitorexit", plain, "A:"},
	196: {"wide", wideForm, ":"},
	197: {"multianewarray", multiForm, "*"},
	198: {"ifnull", jump, "A:"},
	199: {"ifnonnull", jump, "A:"},
	200: {"goto_w", jumpWide, ":"},
	201: {"jsr_w", subroutineWide, ":A"},
}

// elemTypes are the operands of newarray.
var elemTypes = map[uint8]Type{4: "Z", 5: "C", 6: "F", 7: "D", 8: "B", 9: "S", 10: "I", 11: "J"}

// tagsOf are the constants that an instruction may have as operand.
func tagsOf(op Op) []Tag {
	switch op {
	case Ldc, LdcW:
		return []Tag{TagInteger, TagFloat, TagString, TagClass, TagMethodHandle, TagMethodType, TagDynamic}
	case Ldc2W:
		return []Tag{TagLong, TagDouble, TagDynamic}
	case Getstatic, Putstatic, Getfield, Putfield:
		return []Tag{TagField}
	case Invokevirtual:
		return []Tag{TagMethod}
	case Invokespecial, Invokestatic:
		return []Tag{TagMethod, TagInterfaceMethod}
	case Invokeinterface:
		return []Tag{TagInterfaceMethod}
	case Invokedynamic:
		return []Tag{TagInvokeDynamic}
	}
	return []Tag{TagClass} // new, anewarray, checkcast, instanceof, multianewarray
}
